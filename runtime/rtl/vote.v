// Scores of a committee from its members' labels, all at once: score_k = 2 * (votes for k) - MEMBERS.
// Latency LEVELS + 1 clocks. One output: votes for class 1.
module bitbayes_vote #(
    parameter MEMBERS = 1,
    parameter OUTPUTS = 1,
    parameter LABEL_WIDTH = 1,
    parameter LEVELS = 0            // the largest with 2^LEVELS <= MEMBERS
) (
    input  wire clk,
    input  wire [MEMBERS*LABEL_WIDTH-1:0] labels,
    output wire [OUTPUTS*(LEVELS+2)-1:0] scores
);
    localparam WIDTH = LEVELS + 2;  // of a score, signed
    localparam [WIDTH-1:0] ALL = MEMBERS;
    genvar k, m;
    generate
        for (k = 0; k < OUTPUTS; k = k + 1) begin : output_
            localparam [LABEL_WIDTH-1:0] CLASS = (OUTPUTS == 1) ? 1 : k;
            wire [MEMBERS-1:0] is_for;
            for (m = 0; m < MEMBERS; m = m + 1) begin : member
                assign is_for[m] = labels[m*LABEL_WIDTH +: LABEL_WIDTH] == CLASS;
            end
            wire [LEVELS:0] votes;
            bitbayes_popcount #(.COUNT(MEMBERS), .LEVELS(LEVELS)) popcount (
                .clk(clk), .bits(is_for), .sum(votes));
            reg [WIDTH-1:0] score;
            always @(posedge clk) score <= {votes, 1'b0} - ALL;
            assign scores[k*WIDTH +: WIDTH] = score;
        end
    endgenerate
endmodule
