// Takes the columns of one row, in order, and keeps the inputs that are not 0 as pairs (index,
// value) for the neurons: what is 0 costs no clocks later.
//
// A ROM holds one step per clock. Without comparators a step is a column, its word one bit: is it an
// input? With comparators (x_k = column > comparator_k) it is {is an input, column ends, comparator},
// with columns of words (x_k = column == comparator_k) {is an input, column ends, is a word, comparator}:
// `ready` waits for the last comparator of a column. A column that is no input takes one step.
module bitbayes_loader #(
    parameter COLUMN_WIDTH = 1,
    parameter COLUMN_SIGNED = 0,
    parameter COMPARE = 0,
    parameter WORDS = 0,
    parameter VALUE_WIDTH = 1,          // COLUMN_WIDTH; with comparators 1
    parameter VALUE_SIGNED = 0,
    parameter SUM_WIDTH = 2,            // more than VALUE_WIDTH
    parameter INPUTS = 2,
    parameter INDEX_WIDTH = 1,          // holds INPUTS - 1
    parameter WORD_WIDTH = 1,           // of an index as the neurons want it
    parameter COUNT_WIDTH = 2,          // holds INPUTS
    parameter STEPS = 2,
    parameter STEP_WIDTH = 1,           // holds STEPS - 1
    parameter STEPS_FILE = ""
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    output wire ready,
    input  wire [COLUMN_WIDTH-1:0] column,
    input  wire last,
    input  wire wrong,
    output wire loaded,                         // all columns are here; no more are taken ...
    output reg  loaded_wrong,
    input  wire free,                           // ... until the entries are no longer needed
    output reg  [COUNT_WIDTH-1:0] count,        // of entries
    output reg  [SUM_WIDTH-1:0] total,          // of their values
    input  wire [INDEX_WIDTH-1:0] entry,        // to read; 1 clock later:
    output wire [WORD_WIDTH-1:0] index,
    output wire [VALUE_WIDTH-1:0] value
);
    localparam STEP_BITS = COMPARE ? COLUMN_WIDTH + 3 + (WORDS ? 1 : 0) : 1;

    reg loading;
    reg [STEP_WIDTH-1:0] step;
    reg [WORD_WIDTH-1:0] next_index;
    wire [STEP_BITS-1:0] word;
    wire is_input = word[STEP_BITS-1];
    wire ends_column;
    wire [VALUE_WIDTH-1:0] new_value;

    generate
        if (COMPARE) begin : comparators
            wire signed [COLUMN_WIDTH:0] number =
                {column[COLUMN_WIDTH-1] & (COLUMN_SIGNED != 0), column};
            assign ends_column = word[STEP_BITS-2];
            wire signed [COLUMN_WIDTH:0] limit = word[COLUMN_WIDTH:0];
            if (WORDS) begin : words
                assign new_value = word[STEP_BITS-3] ? number == limit : number > limit;
            end else begin : numbers
                assign new_value = number > limit;
            end
        end else begin : values
            assign ends_column = 1'b1;
            assign new_value = column;
        end
    endgenerate

    wire sign = new_value[VALUE_WIDTH-1] & (VALUE_SIGNED != 0);
    wire take = valid & loading;
    wire ends_row = ends_column & last;
    wire keep = take & is_input & (new_value != 0);
    wire [STEP_WIDTH-1:0] next_step =
        rst ? {STEP_WIDTH{1'b0}} :
        ~take ? step :
        ends_row ? {STEP_WIDTH{1'b0}} : step + 1'b1;
    assign ready = loading & ends_column;
    assign loaded = ~loading;

    always @(posedge clk) begin
        step <= next_step;
        if (rst | (loaded & free)) begin
            loading <= 1'b1;
            count <= 0;
            total <= 0;
            next_index <= 0;
        end else if (take) begin
            loading <= ~ends_row;
            loaded_wrong <= wrong;
            if (is_input) next_index <= next_index + 1'b1;
            if (keep) begin
                count <= count + 1'b1;
                total <= total + {{(SUM_WIDTH-VALUE_WIDTH){sign}}, new_value};
            end
        end
    end

    bitbayes_rom #(.WIDTH(STEP_BITS), .DEPTH(STEPS), .ADDRESS_WIDTH(STEP_WIDTH),
                   .FILE(STEPS_FILE)) steps (
        .clk(clk), .address(next_step), .data(word));
    bitbayes_ram #(.WIDTH(WORD_WIDTH + VALUE_WIDTH), .DEPTH(INPUTS),
                   .ADDRESS_WIDTH(INDEX_WIDTH)) entries (
        .clk(clk), .write(keep), .write_address(count[INDEX_WIDTH-1:0]),
        .write_data({next_index, new_value}), .read_address(entry), .read_data({index, value}));
endmodule
