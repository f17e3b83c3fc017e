// Self-checking test of the folded form (simulation only). Streams the rows of a file, with an image
// cut short by a reset before them, compares every answer and score, and ends with PASS or FAIL.
//   +columns=FILE   rows of columns, hexadecimal           +answers=FILE   their answers, decimal
//   +print          one line per row: label margin legal known clocks scores...
// Every fourth row has random pauses of s_valid and m_ready; the clocks of the others are counted from
// the first column, or the last answer if that came later, to the answer.
// Everything here happens at falling edges, between the rising ones of the network: no races.
// verilator lint_off BLKSEQ
module bitbayes_test #(
    parameter COLUMNS = 1,
    parameter COLUMN_WIDTH = 1,
    parameter OUTPUTS = 1,
    parameter LABEL_WIDTH = 1,
    parameter SCORE_WIDTH = 2,
    parameter CLOCKS = 1,               // of one image, at most
    parameter COLUMNS_FILE = "",
    parameter ANSWERS_FILE = ""
) ();
    reg clk = 0;
    reg rst = 1;
    reg s_valid = 0;
    reg m_ready = 0;
    reg [COLUMN_WIDTH-1:0] s_data = 0;
    wire s_ready, m_valid, m_legal, m_known, score_valid;
    wire [LABEL_WIDTH-1:0] m_label;
    wire [SCORE_WIDTH-1:0] m_margin;
    wire signed [SCORE_WIDTH-1:0] score;
    bitbayes_dut dut (
        .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_label(m_label), .m_margin(m_margin),
        .m_legal(m_legal), .m_known(m_known), .score_valid(score_valid), .score(score));
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
    integer row = 0;                // that is being sent
    integer first_clock [0:3];      // of the last rows
    integer j, got;
    reg all_sent = 0;
    reg [COLUMN_WIDTH-1:0] column;
    always @(posedge clk) now <= now + 1;

    task send(input [COLUMN_WIDTH-1:0] data, input pauses);
        begin
            while (pauses && $random % 2 != 0) @(negedge clk);
            s_valid = 1;
            s_data = data;
            while (!s_ready) @(negedge clk);
            @(negedge clk);
            s_valid = 0;
        end
    endtask

    initial begin
        repeat (3) @(negedge clk);
        rst = 0;
        for (j = 0; j < COLUMNS / 2 + 1; j = j + 1) send({COLUMN_WIDTH{1'b1}}, 1'b0);
        rst = 1;
        @(negedge clk);
        rst = 0;
        got = $fscanf(columns_file, "%h", column);
        while (got == 1) begin
            for (j = 0; j < COLUMNS; j = j + 1) begin
                if (j == 0) first_clock[row % 4] = now;
                send(column, row % 4 == 2);
                got = $fscanf(columns_file, "%h", column);
            end
            row = row + 1;
        end
        all_sent = 1;
    end

    // The answers come out.
    integer answered = 0;
    integer wrong = 0;
    integer scores_seen = 0;
    integer last_change = 0;
    integer last_taken = 0;
    integer clocks, arrived, k, read;
    reg signed [63:0] label, margin, legal, known, expected;
    reg same;
    reg was_valid = 0;
    reg signed [SCORE_WIDTH-1:0] scores [0:OUTPUTS-1];

    task check_row;
        begin
            read = $fscanf(answers_file, "%d %d %d %d", label, margin, legal, known);
            same = read == 4 && scores_seen == OUTPUTS && {63'd0, m_legal} == legal &&
                   {63'd0, m_known} == known && {{(64-LABEL_WIDTH){1'b0}}, m_label} == label &&
                   {{(64-SCORE_WIDTH){1'b0}}, m_margin} == margin;
            for (k = 0; k < OUTPUTS; k = k + 1) begin
                read = $fscanf(answers_file, "%d", expected);
                if (read != 1 || {{(64-SCORE_WIDTH){scores[k][SCORE_WIDTH-1]}}, scores[k]} != expected)
                    same = 0;
            end
            if (!same) begin
                wrong = wrong + 1;
                if (wrong <= 10) $display("row %0d differs", answered);
            end
        end
    endtask

    task print_row;
        begin
            $write("row %0d %0d %0d %0d %0d", m_label, m_margin, m_legal, m_known, clocks);
            for (k = 0; k < OUTPUTS; k = k + 1) $write(" %0d", scores[k]);
            $write(" end\n");
            $fflush;
        end
    endtask

    always @(negedge clk) begin
        m_ready = answered % 4 != 2 || $random % 4 == 0;
        if (rst) begin
            scores_seen = 0;
            last_change = now;
        end
        if (score_valid) begin
            if (scores_seen < OUTPUTS) scores[scores_seen] = score;
            scores_seen = scores_seen + 1;
        end
        if (m_valid && !was_valid) arrived = now;
        was_valid = m_valid && !m_ready;
        if (m_valid && m_ready && !rst) begin
            clocks = first_clock[answered % 4];
            if (last_taken > clocks) clocks = last_taken;
            clocks = answered % 4 == 2 ? 0 : arrived - clocks + 1;
            if (clocks > CLOCKS) begin
                $display("FAIL: row %0d took %0d clocks", answered, clocks);
                $finish;
            end
            check_row;
            if (print != 0) print_row;
            answered = answered + 1;
            scores_seen = 0;
            last_change = now;
            last_taken = now;
        end
        if (all_sent && answered == row) begin
            if (wrong == 0 && row != 0) $display("PASS: %0d rows", answered);
            else $display("FAIL: %0d of %0d rows", wrong, answered);
            $finish;
        end
        if (now - last_change > 16 * CLOCKS + 1000) begin
            $display("FAIL: no answer to row %0d", answered);
            $finish;
        end
    end
endmodule
