// The AXI-Stream output, one beat per row, and the room for it: a row starts only when a place for its
// answer is free, so that no answer is ever lost, however long m_tready stays low.
//   m_tdata   15:0 class   16 known   17 legal   18 row of wrong length   63:32 margin   others 0
module bitbayes_answers #(
    parameter PLACES = 1,               // rows on their way or waiting here
    parameter SPACING = 0,              // clocks from one start to the next, at least
    parameter SPACING_WIDTH = 1,        // holds SPACING
    parameter LABEL_WIDTH = 1,          // at most 16
    parameter MARGIN_WIDTH = 2          // at most 32
) (
    input  wire clk,
    input  wire rst,
    input  wire loaded,                 // a row is complete
    input  wire loaded_wrong,           // but of wrong length
    output wire start,
    input  wire valid,                  // answers come in the order of the rows
    input  wire [LABEL_WIDTH-1:0] label,
    input  wire [MARGIN_WIDTH-1:0] margin,
    input  wire legal,
    input  wire known,
    output wire m_tvalid,
    input  wire m_tready,
    output wire [63:0] m_tdata,
    output wire m_tlast
);
    localparam WIDTH = MARGIN_WIDTH + LABEL_WIDTH + 2;

    wire spaced;
    generate
        if (SPACING > 1) begin : spacing
            localparam PAUSE_VALUE = SPACING - 1;
            localparam [SPACING_WIDTH-1:0] PAUSE = PAUSE_VALUE[SPACING_WIDTH-1:0];
            reg [SPACING_WIDTH-1:0] pause;
            assign spaced = pause == 0;
            always @(posedge clk) begin
                if (rst) pause <= 0;
                else if (start) pause <= PAUSE;
                else if (~spaced) pause <= pause - 1'b1;
            end
        end else begin : at_any_time
            assign spaced = 1'b1;
        end
    endgenerate

    // Place 0 is the oldest row's. Ones from place 0 up: rows that started, rows that are answered.
    localparam [PLACES-1:0] ONE = 1;
    reg [PLACES-1:0] started, answered;
    wire pop = m_tvalid & m_tready;
    wire [PLACES-1:0] still_started = pop ? started >> 1 : started;
    wire [PLACES-1:0] still_answered = pop ? answered >> 1 : answered;
    assign start = loaded & ~started[PLACES-1] & spaced;
    always @(posedge clk) begin
        if (rst) begin
            started <= 0;
            answered <= 0;
        end else begin
            started <= start ? (still_started << 1) | ONE : still_started;
            answered <= valid ? (still_answered << 1) | ONE : still_answered;
        end
    end

    wire [(PLACES+1)*WIDTH-1:0] held;
    wire [PLACES:0] wrongs;
    assign held[PLACES*WIDTH +: WIDTH] = 0;
    assign wrongs[PLACES] = 1'b0;
    genvar p;
    generate
        for (p = 0; p < PLACES; p = p + 1) begin : place
            wire row_comes, answer_comes;
            if (p == 0) begin : oldest
                assign row_comes = start & ~still_started[0];
                assign answer_comes = valid & ~still_answered[0];
            end else begin : later
                assign row_comes = start & still_started[p-1] & ~still_started[p];
                assign answer_comes = valid & still_answered[p-1] & ~still_answered[p];
            end
            reg wrong;
            reg [WIDTH-1:0] answer;
            wire its_wrong = pop ? wrongs[p+1] : wrong;
            always @(posedge clk) begin
                if (row_comes) wrong <= loaded_wrong;
                else if (pop) wrong <= wrongs[p+1];
                if (answer_comes) answer <= {margin, legal, known & ~its_wrong, label};
                else if (pop) answer <= held[(p+1)*WIDTH +: WIDTH];
            end
            assign wrongs[p] = wrong;
            assign held[p*WIDTH +: WIDTH] = answer;
        end
    endgenerate

    wire [LABEL_WIDTH-1:0] m_label;
    wire [MARGIN_WIDTH-1:0] m_margin;
    wire m_legal, m_known;
    assign {m_margin, m_legal, m_known, m_label} = held[WIDTH-1:0];
    assign m_tvalid = answered[0];
    assign m_tlast = 1'b1;
    assign m_tdata[15:0] = {{(16-LABEL_WIDTH){1'b0}}, m_label};
    assign m_tdata[31:16] = {13'd0, wrongs[0], m_legal, m_known};
    assign m_tdata[63:32] = {{(32-MARGIN_WIDTH){1'b0}}, m_margin};
endmodule
