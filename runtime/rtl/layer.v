// One layer of sign neurons that read signs, all at once: weights are constants. Latency LEVELS + 1 clocks.
// Of a neuron whose inputs agree with its weights in c of FAN_IN places the sum is 2c - FAN_IN.
module bitbayes_layer #(
    parameter NEURONS = 1,
    parameter FAN_IN = 1,
    parameter STRIDE = 0,          // neuron i reads signs i*STRIDE ...; 0: all read the same
    parameter LEVELS = 0,          // the largest with 2^LEVELS <= FAN_IN
    parameter OUT_WIDTH = 1,       // 1: c >= number; else 2c - number, signed; LEVELS + 2 or more
    parameter NUMBER_WIDTH = 2,    // OUT_WIDTH, or with OUT_WIDTH 1 LEVELS + 2
    parameter [NEURONS*FAN_IN-1:0] WEIGHTS = 0,         // bit i*FAN_IN + j: 1 is +1
    parameter [NEURONS*NUMBER_WIDTH-1:0] NUMBERS = 0
) (
    input  wire clk,
    input  wire [STRIDE*(NEURONS-1)+FAN_IN-1:0] signs,
    output wire [NEURONS*OUT_WIDTH-1:0] out
);
    genvar i;
    generate
        for (i = 0; i < NEURONS; i = i + 1) begin : neuron
            localparam [NUMBER_WIDTH-1:0] NUMBER = NUMBERS[i*NUMBER_WIDTH +: NUMBER_WIDTH];
            wire [LEVELS:0] agree;
            bitbayes_popcount #(.COUNT(FAN_IN), .LEVELS(LEVELS)) popcount (
                .clk(clk), .bits(signs[i*STRIDE +: FAN_IN] ~^ WEIGHTS[i*FAN_IN +: FAN_IN]), .sum(agree));
            reg [OUT_WIDTH-1:0] result;
            if (OUT_WIDTH == 1) begin : sign
                // agree >= NUMBER without a carry: a constant makes each bit an AND or an OR.
                wire [LEVELS+1:0] wide = {1'b0, agree};
                integer b;
                reg enough;
                always @* begin
                    enough = 1'b1;
                    for (b = 0; b < LEVELS + 2; b = b + 1)
                        enough = NUMBER[b] ? wide[b] & enough : wide[b] | enough;
                end
                always @(posedge clk) result <= enough;
            end else begin : sum
                always @(posedge clk)
                    result <= {{(OUT_WIDTH-LEVELS-2){1'b0}}, agree, 1'b0} - NUMBER;
            end
            assign out[i*OUT_WIDTH +: OUT_WIDTH] = result;
        end
    endgenerate
endmodule
