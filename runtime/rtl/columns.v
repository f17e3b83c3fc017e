// The AXI-Stream input: one column per beat as a number of 16 bits, s_tlast with the last of a row.
// s_tready and everything that the network sees are registers; a beat that comes while s_tready falls
// waits in `spare`.
//
// A row ends with s_tlast whatever its length. One that is not COLUMNS long ends with `wrong`; of one that
// is too long the network sees COLUMNS - 1 columns and the last.
module bitbayes_columns #(
    parameter COLUMNS = 1,
    parameter INDEX_WIDTH = 1,          // holds COLUMNS - 1
    parameter WIDTH = 1,                // of a column in the network
    parameter SIGNS = 0                 // columns of -1 and +1, one bit in the network: 1 is +1
) (
    input  wire clk,
    input  wire rst,
    input  wire s_tvalid,
    output reg  s_tready,
    input  wire [15:0] s_tdata,
    input  wire s_tlast,
    output reg  valid,
    input  wire ready,
    output wire [WIDTH-1:0] column,
    output wire last,
    output wire wrong                   // with last
);
    localparam LAST_VALUE = COLUMNS - 1;
    localparam [INDEX_WIDTH-1:0] LAST = LAST_VALUE[INDEX_WIDTH-1:0];

    wire [WIDTH-1:0] data;
    generate
        if (SIGNS) begin : signs
            assign data = ~s_tdata[15];
            wire unused_bits = &{1'b0, s_tdata[14:0]};
        end else begin : numbers
            assign data = s_tdata[WIDTH-1:0];
            if (WIDTH < 16) begin : narrow
                wire unused_bits = &{1'b0, s_tdata[15:WIDTH]};
            end
        end
    endgenerate

    reg [INDEX_WIDTH-1:0] index;        // stays at the last column until the row ends
    reg too_long;
    wire at_end = index == LAST;
    wire take = s_tvalid & s_tready;
    wire keep = take & (s_tlast | ~at_end);
    always @(posedge clk) begin
        if (rst) begin
            index <= 0;
            too_long <= 1'b0;
        end else if (take) begin
            too_long <= at_end & ~s_tlast;
            if (s_tlast) index <= 0;
            else if (~at_end) index <= index + 1'b1;
        end
    end

    reg waits;
    reg [WIDTH+1:0] current, spare;
    wire [WIDTH+1:0] beat = {too_long | ~at_end, s_tlast, data};
    wire moves = ready | ~valid;
    assign {wrong, last, column} = current;
    always @(posedge clk) begin
        if (rst) begin
            s_tready <= 1'b0;
            valid <= 1'b0;
            waits <= 1'b0;
        end else begin
            s_tready <= moves | ~(waits | keep);
            waits <= ~moves & (waits | keep);
            if (moves) valid <= waits | keep;
        end
        if (moves) current <= waits ? spare : beat;
        if (~waits) spare <= beat;
    end
endmodule
