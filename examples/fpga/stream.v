// Simulation only: streams rows of a text file through the network and prints each answer, as a host that is
// connected to an FPGA would see them.
module stream;
    localparam COLUMNS = 16;
    reg clk = 0;
    reg rst = 1;
    reg s_valid = 0;
    reg [7:0] s_data = 0;
    wire s_ready, m_valid, m_known;
    wire [1:0] m_label;
    wire [4:0] m_margin;

    motor #(.ROM_PATH("net/")) motor (
        .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .m_valid(m_valid), .m_ready(1'b1),
        .m_label(m_label), .m_margin(m_margin), .m_legal(), .m_known(m_known), .score_valid(), .score());

    always #5 clk = ~clk;

    integer file, column, row, sent;
    initial begin
        file = $fopen("columns.txt", "r");
        sent = 0;
        row = 0;
        @(negedge clk) rst = 0;
        while ($fscanf(file, "%d", column) == 1) begin
            s_valid = 1;
            s_data = column[7:0];
            while (!s_ready) @(negedge clk);
            @(negedge clk) sent = sent + 1;
        end
        s_valid = 0;
        while (row * COLUMNS < sent) @(negedge clk);
        $finish;
    end

    always @(negedge clk) if (m_valid && !rst) begin
        if (!m_known) $write("?");
        else case (m_label)
            0: $write("balanced");
            1: $write("bearing");
            default: $write("unbalanced");
        endcase
        $display(" %0d", m_margin);
        row = row + 1;
    end
endmodule
