// The sum of COUNT signed numbers that come at once. Latency LEVELS clocks; new numbers every clock.
module bitbayes_add #(
    parameter COUNT = 2,
    parameter LEVELS = 1,           // the least with 2^LEVELS >= COUNT
    parameter IN_WIDTH = 2,
    parameter WIDTH = 3             // of the sum; more than IN_WIDTH
) (
    input  wire clk,
    input  wire [COUNT*IN_WIDTH-1:0] numbers,
    output wire signed [WIDTH-1:0] sum
);
    genvar l, n;
    generate
        for (l = 0; l <= LEVELS; l = l + 1) begin : level
            localparam NODES = (COUNT + (1 << l) - 1) >> l;
            wire [NODES*WIDTH-1:0] sums;
            for (n = 0; n < NODES; n = n + 1) begin : node
                if (l == 0) begin : leaf
                    assign sums[n*WIDTH +: WIDTH] =
                        {{(WIDTH-IN_WIDTH){numbers[(n+1)*IN_WIDTH-1]}}, numbers[n*IN_WIDTH +: IN_WIDTH]};
                end else begin : inner
                    reg [WIDTH-1:0] own;
                    if (2 * n + 1 < (COUNT + (1 << (l - 1)) - 1) >> (l - 1)) begin : pair
                        always @(posedge clk)
                            own <= level[l-1].sums[2*n*WIDTH +: WIDTH] +
                                   level[l-1].sums[(2*n+1)*WIDTH +: WIDTH];
                    end else begin : single
                        always @(posedge clk) own <= level[l-1].sums[2*n*WIDTH +: WIDTH];
                    end
                    assign sums[n*WIDTH +: WIDTH] = own;
                end
            end
        end
    endgenerate
    assign sum = level[LEVELS].sums;
endmodule
