// The answer from COUNT scores, one at a time. out_valid comes 2 clocks after the last of them, for one
// clock.
// The highest score wins, the lowest index on a tie; one score: class 1 iff it is 0 or more.
module bitbayes_argmax_stream #(
    parameter COUNT = 2,
    parameter WIDTH = 2,            // of a score, signed
    parameter LABEL_WIDTH = 1
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    input  wire signed [WIDTH-1:0] score,
    output reg  out_valid,
    output reg  [LABEL_WIDTH-1:0] label,
    output reg  [WIDTH-1:0] margin,     // winner minus runner-up; one score: its size
    output reg  legal                   // exactly one score is 0 or more
);
    reg all_here;
    always @(posedge clk) out_valid <= all_here & ~rst;
    generate
        if (COUNT == 1) begin : one
            reg signed [WIDTH-1:0] last;
            always @(posedge clk) begin
                all_here <= valid & ~rst;
                last <= score;
                label <= ~last[WIDTH-1];
                margin <= last[WIDTH-1] ? -last : last;
                legal <= 1'b1;
            end
        end else begin : many
            localparam LAST_VALUE = COUNT - 1;
            localparam [LABEL_WIDTH-1:0] LAST = LAST_VALUE[LABEL_WIDTH-1:0];
            reg signed [WIDTH-1:0] best, second;
            reg [LABEL_WIDTH-1:0] winner, index;
            reg some, several;
            wire first = index == 0;
            always @(posedge clk) begin
                all_here <= valid & (index == LAST) & ~rst;
                if (rst) index <= 0;
                else if (valid) index <= index == LAST ? {LABEL_WIDTH{1'b0}} : index + 1'b1;
                if (valid) begin
                    if (first | (score > best)) begin
                        best <= score;
                        second <= first ? {1'b1, {(WIDTH-1){1'b0}}} : best;
                        winner <= index;
                    end else if (score > second) begin
                        second <= score;
                    end
                    some <= ~score[WIDTH-1] | (some & ~first);
                    several <= ~first & (several | (some & ~score[WIDTH-1]));
                end
                label <= winner;
                margin <= best - second;
                legal <= some & ~several;
            end
        end
    endgenerate
endmodule
