// Simulation only: streams rows of a text file through the network and prints each answer, as a host that is
// connected to an FPGA would see them.
module stream;
    localparam COLUMNS = 16;
    reg clk = 0;
    reg rst = 1;
    reg s_tvalid = 0, s_tlast = 0;
    reg [15:0] s_tdata = 0;
    wire s_tready, m_tvalid;
    wire [63:0] m_tdata;

    motor #(.ROM_PATH("net/")) motor (
        .clk(clk), .rst(rst), .s_tvalid(s_tvalid), .s_tready(s_tready), .s_tdata(s_tdata), .s_tlast(s_tlast),
        .m_tvalid(m_tvalid), .m_tready(1'b1), .m_tdata(m_tdata), .m_tlast(), .score_valid(), .score());

    always #5 clk = ~clk;

    integer file, column, row, sent;
    initial begin
        file = $fopen("columns.txt", "r");
        sent = 0;
        row = 0;
        @(negedge clk) rst = 0;
        while ($fscanf(file, "%d", column) == 1) begin
            s_tvalid = 1;
            s_tdata = column[15:0];
            s_tlast = sent % COLUMNS == COLUMNS - 1;
            while (!s_tready) @(negedge clk);
            @(negedge clk) sent = sent + 1;
        end
        s_tvalid = 0;
        while (row * COLUMNS < sent) @(negedge clk);
        $finish;
    end

    wire known = m_tdata[16];
    always @(negedge clk) if (m_tvalid && !rst) begin
        if (!known) $write("?");
        else case (m_tdata[15:0])
            0: $write("balanced");
            1: $write("bearing");
            default: $write("unbalanced");
        endcase
        $display(" %0d", m_tdata[63:32]);
        row = row + 1;
    end
endmodule
