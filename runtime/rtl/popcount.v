// How many of COUNT bits are 1. Latency LEVELS clocks; new bits every clock.
//
// A node of level 1 adds three bits, which takes two LUTs of any FPGA; a node of level l adds two nodes of level
// l - 1 and one more bit, which is the carry that goes into its adder. So it counts 2^(l+1) - 1 bits. Node n
// has bits n*2^(l+1) and up, its own in their middle; that one waits l - 1 clocks.
module bitbayes_popcount #(
    parameter COUNT = 1,
    parameter LEVELS = 0            // the largest with 2^LEVELS <= COUNT
) (
    input  wire clk,
    input  wire [COUNT-1:0] bits,
    output wire [LEVELS:0] sum
);
    genvar l, n;
    generate
        if (LEVELS == 0) begin : no_registers
            assign sum = bits;
            wire unused_clk = clk;
        end
        for (l = 1; l <= LEVELS; l = l + 1) begin : level
            localparam NODES = (COUNT + (2 << l) - 1) / (2 << l);
            wire [NODES*(l+1)-1:0] sums;
            for (n = 0; n < NODES; n = n + 1) begin : node
                localparam MIDDLE = n * (2 << l) + (1 << l) - 1;
                wire [l:0] left, right;
                wire bit_;
                if (l == 1) begin : leaves
                    assign left = {1'b0, bits[4*n]};
                    if (4 * n + 1 < COUNT) begin : second
                        assign bit_ = bits[4*n+1];
                    end else begin : no_second
                        assign bit_ = 1'b0;
                    end
                    if (4 * n + 2 < COUNT) begin : third
                        assign right = {1'b0, bits[4*n+2]};
                    end else begin : no_third
                        assign right = 2'b00;
                    end
                end else begin : nodes
                    assign left = {1'b0, level[l-1].sums[2*n*l +: l]};
                    if (MIDDLE + 1 < COUNT) begin : second
                        assign right = {1'b0, level[l-1].sums[(2*n+1)*l +: l]};
                    end else begin : no_second
                        assign right = 0;
                    end
                    if (MIDDLE < COUNT) begin : middle
                        reg [l-2:0] waiting;
                        if (l == 2) begin : once
                            always @(posedge clk) waiting <= bits[MIDDLE];
                        end else begin : longer
                            always @(posedge clk) waiting <= {waiting[l-3:0], bits[MIDDLE]};
                        end
                        assign bit_ = waiting[l-2];
                    end else begin : no_middle
                        assign bit_ = 1'b0;
                    end
                end
                reg [l:0] own;
                always @(posedge clk) own <= left + right + {{l{1'b0}}, bit_};
                assign sums[n*(l+1) +: l+1] = own;
            end
        end
        if (LEVELS > 0) begin : top
            assign sum = level[LEVELS].sums;
        end
    endgenerate
endmodule
