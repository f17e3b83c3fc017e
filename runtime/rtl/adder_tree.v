// The sum of COUNT unsigned numbers, with WIDTH 1 a popcount: a tree of adders, each followed by a
// register. Latency LEVELS clocks; new numbers every clock.
module bitbayes_adder_tree #(
    parameter COUNT = 1,
    parameter WIDTH = 1,
    parameter LEVELS = 0            // the least with 2^LEVELS >= COUNT
) (
    input  wire clk,
    input  wire [COUNT*WIDTH-1:0] numbers,
    output wire [WIDTH+LEVELS-1:0] sum
);
    genvar l, n;
    generate
        for (l = 0; l <= LEVELS; l = l + 1) begin : level
            localparam NODES = (COUNT + (1 << l) - 1) >> l;
            localparam BITS = WIDTH + l;
            wire [NODES*BITS-1:0] sums;
            if (l == 0) begin : leaves
                assign sums = numbers;
            end else begin : nodes
                for (n = 0; n < NODES; n = n + 1) begin : node
                    reg [BITS-1:0] own;
                    if (2 * n + 1 < (COUNT + (1 << (l - 1)) - 1) >> (l - 1)) begin : pair
                        always @(posedge clk)
                            own <= {1'b0, level[l-1].sums[2*n*(BITS-1) +: BITS-1]} +
                                   {1'b0, level[l-1].sums[(2*n+1)*(BITS-1) +: BITS-1]};
                    end else begin : single
                        always @(posedge clk)
                            own <= {1'b0, level[l-1].sums[2*n*(BITS-1) +: BITS-1]};
                    end
                    assign sums[n*BITS +: BITS] = own;
                end
            end
        end
        if (LEVELS == 0) begin : no_registers
            wire unused_clk = clk;
        end
    endgenerate
    assign sum = level[LEVELS].sums;
endmodule
