// The sum of COUNT unsigned numbers, as a balanced tree of adders; with WIDTH 1 a popcount.
// Combinational. SUM_WIDTH must hold COUNT * (2^WIDTH - 1).
module bitbayes_adder_tree #(
    parameter COUNT = 1,
    parameter WIDTH = 1,
    parameter SUM_WIDTH = 1
) (
    input  wire [COUNT*WIDTH-1:0] numbers,
    output wire [SUM_WIDTH-1:0] sum
);
    // A heap: node n is the sum of nodes 2n+1 and 2n+2, the last COUNT nodes are the numbers.
    wire [(2*COUNT-1)*SUM_WIDTH-1:0] node;
    genvar n;
    generate
        for (n = 0; n < COUNT - 1; n = n + 1) begin : add
            assign node[n*SUM_WIDTH +: SUM_WIDTH] =
                node[(2*n+1)*SUM_WIDTH +: SUM_WIDTH] + node[(2*n+2)*SUM_WIDTH +: SUM_WIDTH];
        end
        for (n = 0; n < COUNT; n = n + 1) begin : leaf
            if (SUM_WIDTH > WIDTH) begin : extend
                assign node[(COUNT-1+n)*SUM_WIDTH +: SUM_WIDTH] =
                    {{(SUM_WIDTH-WIDTH){1'b0}}, numbers[n*WIDTH +: WIDTH]};
            end else begin : keep
                assign node[(COUNT-1+n)*SUM_WIDTH +: SUM_WIDTH] = numbers[n*WIDTH +: WIDTH];
            end
        end
    endgenerate
    assign sum = node[SUM_WIDTH-1:0];
endmodule
