// Self-checking test of a network (simulation only). Sends the rows of a file, after some that a reset cuts
// short, compares every answer and score, and ends with PASS or FAIL.
//   +columns=FILE   rows of columns, hexadecimal           +answers=FILE   their answers, decimal
//   +print          one line per row: label margin legal known clocks scores...
// Of each four rows the first is sent to an idle network, and its clocks are counted from its first column to
// its answer; the second follows at once; in the third both sides pause at random; before the fourth comes a
// row that is too short or too long.
// Everything here happens at falling edges, between the rising ones of the network: no races.
// verilator lint_off BLKSEQ
module bitbayes_test #(
    parameter COLUMNS = 1,
    parameter OUTPUTS = 1,
    parameter CLOCKS = 1,               // from the first column to the answer, at most
    parameter COLUMNS_FILE = "",
    parameter ANSWERS_FILE = ""
) ();
    localparam SHORTER = COLUMNS > 1 ? COLUMNS - 1 : 1;
    localparam RING = 64;               // more rows than are ever on their way
    reg clk = 0;
    reg rst = 1;
    reg s_tvalid = 0, s_tlast = 0, m_tready = 0;
    reg [15:0] s_tdata = 0;
    wire s_tready, m_tvalid, m_tlast, score_valid;
    wire [63:0] m_tdata;
    wire signed [31:0] score;
    bitbayes_dut dut (
        .clk(clk), .rst(rst),
        .s_tvalid(s_tvalid), .s_tready(s_tready), .s_tdata(s_tdata), .s_tlast(s_tlast),
        .m_tvalid(m_tvalid), .m_tready(m_tready), .m_tdata(m_tdata), .m_tlast(m_tlast),
        .score_valid(score_valid), .score(score));
    always #5 clk = ~clk;

    reg [8*512-1:0] columns_name, answers_name;
    integer columns_file, answers_file, print;
    initial begin
        if (!$value$plusargs("columns=%s", columns_name))
            $sformat(columns_name, "%0s", COLUMNS_FILE);
        if (!$value$plusargs("answers=%s", answers_name))
            $sformat(answers_name, "%0s", ANSWERS_FILE);
        print = $test$plusargs("print") ? 1 : 0;
        columns_file = $fopen(columns_name, "r");
        answers_file = $fopen(answers_name, "r");
        if (columns_file == 0 || answers_file == 0) begin
            $display("FAIL: no files of rows");
            $finish;
        end
    end

    // The rows go in.
    integer now = 0;
    integer row = 0;                    // of the file
    integer sent = 0;                   // rows, those of wrong length included
    integer taken = 0;                  // answers
    integer first_clock [0:RING-1];
    reg is_wrong [0:RING-1];
    reg is_alone [0:RING-1];
    integer j, got;
    reg begun = 0, all_sent = 0;
    reg [15:0] column;
    reg [31:0] noise;
    always @(posedge clk) now <= now + 1;

    task send(input [15:0] data, input last, input pauses);
        begin
            while (pauses && $random % 2 != 0) @(negedge clk);
            s_tvalid = 1;
            s_tdata = data;
            s_tlast = last;
            while (!s_tready) @(negedge clk);
            @(negedge clk);
            s_tvalid = 0;
        end
    endtask

    task send_wrong(input integer columns);
        begin
            is_wrong[sent % RING] = 1;
            for (j = 1; j <= columns; j = j + 1) begin
                noise = $random;
                send(noise[15:0], j == columns, 1'b0);
            end
            sent = sent + 1;
        end
    endtask

    initial begin
        repeat (3) @(negedge clk);
        rst = 0;
        for (j = 1; j <= COLUMNS; j = j + 1) send(16'hffff, j == COLUMNS, 1'b0);
        for (j = 0; j < COLUMNS / 2 + 1; j = j + 1) send(16'h0001, 1'b0, 1'b0);
        rst = 1;
        @(negedge clk);
        rst = 0;
        begun = 1;
        got = $fscanf(columns_file, "%h", column);
        while (got == 1) begin
            if (row % 4 == 0) while (taken != sent || !s_tready) @(negedge clk);
            if (row % 8 == 3 && COLUMNS > 1) send_wrong(1 + row / 8 % SHORTER);
            if (row % 8 == 7) send_wrong(COLUMNS + 1 + row / 8 % 3);
            is_wrong[sent % RING] = 0;
            is_alone[sent % RING] = row % 4 == 0;
            for (j = 1; j <= COLUMNS; j = j + 1) begin
                if (j == 1) first_clock[sent % RING] = now;
                send(column, j == COLUMNS, row % 4 == 2);
                got = $fscanf(columns_file, "%h", column);
            end
            sent = sent + 1;
            row = row + 1;
        end
        all_sent = 1;
    end

    // The answers come out.
    integer answered = 0;               // rows of the file
    integer wrong = 0;
    integer scores_seen = 0;
    integer last_change = 0;
    integer clocks, arrived, k, read;
    reg signed [63:0] label, margin, legal, known, expected;
    reg same;
    reg was_waiting = 0;
    reg [63:0] was_data;
    reg [31:0] got_score;
    reg signed [31:0] scores [0:RING*OUTPUTS-1];

    task differs;
        begin
            wrong = wrong + 1;
            if (wrong <= 10) $display("row %0d differs", answered);
        end
    endtask

    task check_row;
        begin
            read = $fscanf(answers_file, "%d %d %d %d", label, margin, legal, known);
            same = read == 4 && {48'd0, m_tdata[15:0]} == label && {32'd0, m_tdata[63:32]} == margin &&
                   {63'd0, m_tdata[17]} == legal && {63'd0, m_tdata[16]} == known && m_tdata[31:18] == 0;
            for (k = 0; k < OUTPUTS; k = k + 1) begin
                read = $fscanf(answers_file, "%d", expected);
                got_score = scores[taken%RING*OUTPUTS+k];
                if (read != 1 || {{32{got_score[31]}}, got_score} != expected) same = 0;
            end
            if (!same) differs;
        end
    endtask

    task print_row;
        begin
            $write("row %0d %0d %0d %0d %0d", m_tdata[15:0], m_tdata[63:32], m_tdata[17], m_tdata[16], clocks);
            for (k = 0; k < OUTPUTS; k = k + 1) $write(" %0d", scores[taken%RING*OUTPUTS+k]);
            $write(" end\n");
            $fflush;
        end
    endtask

    task take_answer;
        begin
            if (scores_seen < (taken + 1) * OUTPUTS) differs;
            if (is_wrong[taken % RING]) begin
                if (m_tdata[18:16] != 3'b100 && m_tdata[18:16] != 3'b110) differs;
            end else begin
                clocks = is_alone[taken % RING] ? arrived - first_clock[taken % RING] + 1 : 0;
                if (clocks > CLOCKS) begin
                    $display("FAIL: row %0d took %0d clocks", answered, clocks);
                    $finish;
                end
                check_row;
                if (print != 0) print_row;
                answered = answered + 1;
            end
            taken = taken + 1;
            last_change = now;
        end
    endtask

    always @(negedge clk) begin
        if (was_waiting && (!m_tvalid || m_tdata != was_data)) begin
            $display("FAIL: the answer to row %0d did not wait", answered);
            $finish;
        end
        m_tready = begun && (answered % 4 != 2 || $random % 4 == 0);
        if (!begun) begin
            scores_seen = 0;
            last_change = now;
        end else if (score_valid) begin
            scores[scores_seen%(RING*OUTPUTS)] = score;
            scores_seen = scores_seen + 1;
        end
        if (m_tvalid && !was_waiting) arrived = now;
        was_waiting = m_tvalid && !m_tready && begun;
        was_data = m_tdata;
        if (m_tvalid && m_tready) take_answer;
        if (m_tvalid && !m_tlast && begun) differs;
        if (all_sent && taken == sent) begin
            if (wrong == 0 && row != 0) $display("PASS: %0d rows", answered);
            else $display("FAIL: %0d of %0d rows", wrong, answered);
            $finish;
        end
        if (now - last_change > 16 * CLOCKS) begin
            $display("FAIL: no answer to row %0d", answered);
            $finish;
        end
    end
endmodule
