// Self-checking test of the parallel form (simulation only). Sends the rows of a file, one per clock
// with pauses before every fourth, after two rows cut short by a reset; compares every answer, score
// and the latency, and ends with PASS or FAIL.
//   +columns=FILE   rows of columns, hexadecimal           +answers=FILE   their answers, decimal
//   +print          one line per row: label margin legal known clocks scores...
// Everything here happens at falling edges, between the rising ones of the network: no races.
// verilator lint_off BLKSEQ
module bitbayes_test #(
    parameter COLUMNS = 1,
    parameter COLUMN_WIDTH = 1,
    parameter OUTPUTS = 1,
    parameter LABEL_WIDTH = 1,
    parameter SCORE_WIDTH = 2,
    parameter CLOCKS = 1,               // from columns to answer
    parameter COLUMNS_FILE = "",
    parameter ANSWERS_FILE = ""
) ();
    reg clk = 0;
    reg rst = 1;
    reg in_valid = 0;
    reg [COLUMNS*COLUMN_WIDTH-1:0] in_columns = 0;
    wire out_valid, out_legal, out_known;
    wire [LABEL_WIDTH-1:0] out_label;
    wire [SCORE_WIDTH-1:0] out_margin;
    wire [OUTPUTS*SCORE_WIDTH-1:0] out_scores;
    bitbayes_dut dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_columns(in_columns), .out_valid(out_valid),
        .out_label(out_label), .out_margin(out_margin), .out_legal(out_legal),
        .out_known(out_known), .out_scores(out_scores));
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
    integer row = 0;
    integer j, got;
    reg all_sent = 0;
    reg [COLUMN_WIDTH-1:0] column;
    reg [COLUMNS*COLUMN_WIDTH-1:0] columns;
    initial begin
        repeat (3) @(negedge clk);
        rst = 0;
        in_valid = 1;
        repeat (2) @(negedge clk);
        rst = 1;
        @(negedge clk);
        rst = 0;
        got = $fscanf(columns_file, "%h", column);
        while (got == 1) begin
            for (j = 0; j < COLUMNS; j = j + 1) begin
                columns[j*COLUMN_WIDTH +: COLUMN_WIDTH] = column;
                got = $fscanf(columns_file, "%h", column);
            end
            in_valid = 0;
            while (row % 4 == 2 && $random % 4 != 0) @(negedge clk);
            in_valid = 1;
            in_columns = columns;
            row = row + 1;
            @(negedge clk);
        end
        in_valid = 0;
        all_sent = 1;
    end

    // The answers come out.
    integer answered = 0;
    integer wrong = 0;
    integer after_end = 0;
    integer k, read;
    reg signed [63:0] label, margin, legal, known, expected;
    reg same;
    reg [CLOCKS-1:0] due = 0;
    reg [SCORE_WIDTH-1:0] score;

    task check_row;
        begin
            read = $fscanf(answers_file, "%d %d %d %d", label, margin, legal, known);
            same = read == 4 && {63'd0, out_legal} == legal && {63'd0, out_known} == known &&
                   {{(64-LABEL_WIDTH){1'b0}}, out_label} == label &&
                   {{(64-SCORE_WIDTH){1'b0}}, out_margin} == margin;
            for (k = 0; k < OUTPUTS; k = k + 1) begin
                read = $fscanf(answers_file, "%d", expected);
                score = out_scores[k*SCORE_WIDTH +: SCORE_WIDTH];
                if (read != 1 || {{(64-SCORE_WIDTH){score[SCORE_WIDTH-1]}}, score} != expected) same = 0;
            end
            if (!same) begin
                wrong = wrong + 1;
                if (wrong <= 10) $display("row %0d differs", answered);
            end
        end
    endtask

    task print_row;
        begin
            $write("row %0d %0d %0d %0d %0d", out_label, out_margin, out_legal, out_known, CLOCKS);
            for (k = 0; k < OUTPUTS; k = k + 1)
                $write(" %0d", $signed(out_scores[k*SCORE_WIDTH +: SCORE_WIDTH]));
            $write(" end\n");
            $fflush;
        end
    endtask

    always @(posedge clk) due <= rst ? {CLOCKS{1'b0}} : (due << 1) | {{(CLOCKS-1){1'b0}}, in_valid};
    always @(negedge clk) begin
        if (!rst && out_valid !== due[CLOCKS-1]) begin
            $display("FAIL: row %0d came at a wrong time", answered);
            $finish;
        end
        if (!rst && out_valid) begin
            check_row;
            if (print != 0) print_row;
            answered = answered + 1;
        end
        if (all_sent) after_end = after_end + 1;
        if (after_end == CLOCKS + 2) begin
            if (wrong == 0 && row != 0 && answered == row) $display("PASS: %0d rows", answered);
            else $display("FAIL: %0d of %0d rows", wrong, answered);
            $finish;
        end
    end
endmodule
