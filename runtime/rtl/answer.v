// Starts an image when its columns are there and the answer to the last one was taken, and holds the
// answer until it is taken.
module bitbayes_answer #(
    parameter LABEL_WIDTH = 1,
    parameter MARGIN_WIDTH = 2
) (
    input  wire clk,
    input  wire rst,
    input  wire loaded,
    output wire start,
    input  wire valid,
    input  wire [LABEL_WIDTH-1:0] label,
    input  wire [MARGIN_WIDTH-1:0] margin,
    input  wire legal,
    output reg  m_valid,
    input  wire m_ready,
    output reg  [LABEL_WIDTH-1:0] m_label,
    output reg  [MARGIN_WIDTH-1:0] m_margin,
    output reg  m_legal
);
    reg started;
    assign start = loaded & ~started;
    always @(posedge clk) begin
        if (rst) begin
            started <= 1'b0;
            m_valid <= 1'b0;
        end else begin
            if (start) started <= 1'b1;
            else if (m_valid & m_ready) started <= 1'b0;
            if (valid) m_valid <= 1'b1;
            else if (m_ready) m_valid <= 1'b0;
        end
        if (valid) begin
            m_label <= label;
            m_margin <= margin;
            m_legal <= legal;
        end
    end
endmodule
