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
    function [SUM_WIDTH-1:0] total(input [COUNT*WIDTH-1:0] leaves);
        integer n;
        reg [(2*COUNT-1)*SUM_WIDTH-1:0] node;
        begin
            node = 0;
            for (n = 0; n < COUNT; n = n + 1)
                node[(COUNT-1+n)*SUM_WIDTH +: WIDTH] = leaves[n*WIDTH +: WIDTH];
            for (n = COUNT - 2; n >= 0; n = n - 1)
                node[n*SUM_WIDTH +: SUM_WIDTH] =
                    node[(2*n+1)*SUM_WIDTH +: SUM_WIDTH] + node[(2*n+2)*SUM_WIDTH +: SUM_WIDTH];
            total = node[SUM_WIDTH-1:0];
        end
    endfunction
    assign sum = total(numbers);
endmodule
