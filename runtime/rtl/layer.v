// One layer of sign neurons, all at once: weights are constants. Latency LEVELS + 1 clocks.
//
// A weight of -1 turns a number x of WIDTH bits into ~x = 2^WIDTH - 1 - x, so that only unsigned
// numbers are added; constants are made up for in OFFSETS:
//   total_i = sum_j (W_ij = +1 ? x_j : ~x_j),   u_i = SCALE * total_i - offset_i
module bitbayes_layer #(
    parameter NEURONS = 1,
    parameter FAN_IN = 1,
    parameter STRIDE = 0,          // neuron i reads numbers i*STRIDE ...; 0: all read the same
    parameter WIDTH = 1,           // of a number
    parameter LEVELS = 0,          // the least with 2^LEVELS >= FAN_IN
    parameter SCALE = 1,           // 1 or 2
    parameter SUM_WIDTH = 2,       // of u, signed; more than WIDTH + LEVELS + SCALE - 1
    parameter OUT_WIDTH = 1,       // 1: u >= 0; SUM_WIDTH: u itself
    parameter [NEURONS*FAN_IN-1:0] WEIGHTS = 0,         // bit i*FAN_IN + j: 1 is +1
    parameter [NEURONS*SUM_WIDTH-1:0] OFFSETS = 0
) (
    input  wire clk,
    input  wire [(STRIDE*(NEURONS-1)+FAN_IN)*WIDTH-1:0] numbers,
    output wire [NEURONS*OUT_WIDTH-1:0] out
);
    localparam TOTAL_WIDTH = WIDTH + LEVELS;
    genvar i, j;
    generate
        for (i = 0; i < NEURONS; i = i + 1) begin : neuron
            wire [FAN_IN*WIDTH-1:0] weighted;
            for (j = 0; j < FAN_IN; j = j + 1) begin : input_
                assign weighted[j*WIDTH +: WIDTH] =
                    numbers[(i*STRIDE+j)*WIDTH +: WIDTH] ^ {WIDTH{~WEIGHTS[i*FAN_IN+j]}};
            end
            wire [TOTAL_WIDTH-1:0] total;
            bitbayes_adder_tree #(.COUNT(FAN_IN), .WIDTH(WIDTH), .LEVELS(LEVELS)) adder (
                .clk(clk), .numbers(weighted), .sum(total));
            wire signed [SUM_WIDTH-1:0] scaled;
            if (SCALE == 2) begin : twice
                assign scaled = {{(SUM_WIDTH-TOTAL_WIDTH-1){1'b0}}, total, 1'b0};
            end else begin : once
                assign scaled = {{(SUM_WIDTH-TOTAL_WIDTH){1'b0}}, total};
            end
            wire signed [SUM_WIDTH-1:0] u = scaled - $signed(OFFSETS[i*SUM_WIDTH +: SUM_WIDTH]);
            reg [OUT_WIDTH-1:0] result;
            if (OUT_WIDTH == 1) begin : sign
                always @(posedge clk) result <= u >= 0;
            end else begin : sum
                always @(posedge clk) result <= u;
            end
            assign out[i*OUT_WIDTH +: OUT_WIDTH] = result;
        end
    endgenerate
endmodule
