// Scores of a committee as sums of its members' scores, which come one at a time, member by member. The sums
// leave as the scores of the last member come, 1 clock later.
module bitbayes_add_stream #(
    parameter MEMBERS = 2,
    parameter MEMBER_WIDTH = 1,         // holds MEMBERS - 1
    parameter OUTPUTS = 1,
    parameter INDEX_WIDTH = 1,          // holds OUTPUTS - 1
    parameter IN_WIDTH = 2,
    parameter WIDTH = 3                 // of a sum; more than IN_WIDTH
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    input  wire signed [IN_WIDTH-1:0] score,
    output reg  out_valid,
    output wire signed [WIDTH-1:0] sum
);
    localparam LAST_MEMBER_VALUE = MEMBERS - 1;
    localparam [MEMBER_WIDTH-1:0] LAST_MEMBER = LAST_MEMBER_VALUE[MEMBER_WIDTH-1:0];
    localparam LAST_OUTPUT_VALUE = OUTPUTS - 1;
    localparam [INDEX_WIDTH-1:0] LAST_OUTPUT = LAST_OUTPUT_VALUE[INDEX_WIDTH-1:0];

    reg [MEMBER_WIDTH-1:0] member;
    reg [INDEX_WIDTH-1:0] index;
    wire ends = index == LAST_OUTPUT;
    always @(posedge clk) begin
        out_valid <= valid & (member == LAST_MEMBER) & ~rst;
        if (rst) begin
            member <= 0;
            index <= 0;
        end else if (valid) begin
            index <= ends ? {INDEX_WIDTH{1'b0}} : index + 1'b1;
            if (ends) member <= member == LAST_MEMBER ? {MEMBER_WIDTH{1'b0}} : member + 1'b1;
        end
    end

    // The sums so far go round, the one that was added to last in front.
    reg [OUTPUTS*WIDTH-1:0] sums;
    wire [WIDTH-1:0] former = member == 0 ? {WIDTH{1'b0}} : sums[WIDTH-1:0];
    wire [WIDTH-1:0] new_sum = former + {{(WIDTH-IN_WIDTH){score[IN_WIDTH-1]}}, score};
    assign sum = sums[OUTPUTS*WIDTH-1 -: WIDTH];
    generate
        if (OUTPUTS == 1) begin : one
            always @(posedge clk) if (valid) sums <= new_sum;
        end else begin : several
            always @(posedge clk) if (valid) sums <= {new_sum, sums[OUTPUTS*WIDTH-1:WIDTH]};
        end
    endgenerate
endmodule
