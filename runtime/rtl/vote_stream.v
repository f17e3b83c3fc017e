// Scores of a committee from its members' labels, one at a time: score_k = 2 * (votes for k) - MEMBERS.
// After the last label the scores leave, one per clock; no label may come meanwhile.
// One output: votes for class 1.
module bitbayes_vote_stream #(
    parameter MEMBERS = 1,
    parameter MEMBER_WIDTH = 1,         // holds MEMBERS
    parameter OUTPUTS = 1,
    parameter LABEL_WIDTH = 1,
    parameter WIDTH = 2                 // of a score, signed; MEMBER_WIDTH + 1
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    input  wire [LABEL_WIDTH-1:0] label,
    output wire out_valid,
    output wire signed [WIDTH-1:0] score
);
    localparam LAST_MEMBER_VALUE = MEMBERS - 1;
    localparam [MEMBER_WIDTH-1:0] LAST_MEMBER = LAST_MEMBER_VALUE[MEMBER_WIDTH-1:0];
    localparam LAST_OUTPUT_VALUE = OUTPUTS - 1;
    localparam [LABEL_WIDTH-1:0] LAST_OUTPUT = LAST_OUTPUT_VALUE[LABEL_WIDTH-1:0];
    localparam [WIDTH-1:0] ALL = MEMBERS;

    reg leaving;
    reg [MEMBER_WIDTH-1:0] member;
    reg [LABEL_WIDTH-1:0] index;
    wire [OUTPUTS*MEMBER_WIDTH-1:0] votes;
    assign out_valid = leaving;
    assign score = {votes[MEMBER_WIDTH-1:0], 1'b0} - ALL;

    always @(posedge clk) begin
        if (rst) begin
            leaving <= 1'b0;
            member <= 0;
            index <= 0;
        end else if (valid) begin
            member <= member == LAST_MEMBER ? {MEMBER_WIDTH{1'b0}} : member + 1'b1;
            leaving <= member == LAST_MEMBER;
        end else if (leaving) begin
            index <= index == LAST_OUTPUT ? {LABEL_WIDTH{1'b0}} : index + 1'b1;
            leaving <= index != LAST_OUTPUT;
        end
    end

    // Counters, and a shift register that ends empty.
    genvar k;
    generate
        for (k = 0; k < OUTPUTS; k = k + 1) begin : output_
            localparam [LABEL_WIDTH-1:0] CLASS = (OUTPUTS == 1) ? 1 : k;
            wire [MEMBER_WIDTH-1:0] following;
            if (k == OUTPUTS - 1) begin : last
                assign following = 0;
            end else begin : inner
                assign following = votes[(k+1)*MEMBER_WIDTH +: MEMBER_WIDTH];
            end
            reg [MEMBER_WIDTH-1:0] own;
            always @(posedge clk) begin
                if (rst) own <= 0;
                else if (leaving) own <= following;
                else if (valid & (label == CLASS)) own <= own + 1'b1;
            end
            assign votes[k*MEMBER_WIDTH +: MEMBER_WIDTH] = own;
        end
    endgenerate
endmodule
