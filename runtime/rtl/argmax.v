// The answer from all scores at once. Latency 1 clock; one answer per clock.
// The highest score wins, the lowest index on a tie; one score: class 1 iff it is 0 or more.
module bitbayes_argmax #(
    parameter COUNT = 2,
    parameter WIDTH = 2,        // of a score, signed
    parameter LABEL_WIDTH = 1
) (
    input  wire clk,
    input  wire [COUNT*WIDTH-1:0] scores,
    output reg  [LABEL_WIDTH-1:0] label,
    output reg  [WIDTH-1:0] margin,     // winner minus runner-up; one score: its size
    output reg  legal                   // exactly one score is 0 or more
);
    generate
        if (COUNT == 1) begin : one
            always @(posedge clk) begin
                label <= ~scores[WIDTH-1];
                margin <= scores[WIDTH-1] ? -scores : scores;
                legal <= 1'b1;
            end
        end else begin : many
            integer k;
            reg signed [WIDTH-1:0] score, best, second;
            reg [LABEL_WIDTH-1:0] winner;
            reg some, several;
            always @* begin
                best = $signed(scores[WIDTH-1:0]);
                second = {1'b1, {(WIDTH-1){1'b0}}};
                winner = 0;
                some = ~scores[WIDTH-1];
                several = 1'b0;
                score = best;
                for (k = 1; k < COUNT; k = k + 1) begin
                    score = $signed(scores[k*WIDTH +: WIDTH]);
                    if (score > best) begin
                        second = best;
                        best = score;
                        winner = k[LABEL_WIDTH-1:0];
                    end else if (score > second) begin
                        second = score;
                    end
                    several = several | (some & ~score[WIDTH-1]);
                    some = some | ~score[WIDTH-1];
                end
            end
            always @(posedge clk) begin
                label <= winner;
                margin <= best - second;
                legal <= some & ~several;
            end
        end
    endgenerate
endmodule
