// Layer 1 of the parallel form: an accumulator per neuron, to which every column is added as it arrives.
// An accumulator only ever adds or not: with P the columns of weight +1,
//   sum_j W_j x_j = 2 sum_P x_j - sum_j x_j
// The clocks of a row: one per column, one for minus the total, one to start it on its way. The sums are at
// `out` 1 clock after the start, for one clock.
module bitbayes_sums #(
    parameter NEURONS = 1,
    parameter COLUMNS = 1,
    parameter INDEX_WIDTH = 1,          // holds COLUMNS - 1
    parameter VALUE_WIDTH = 1,
    parameter VALUE_SIGNED = 0,
    parameter SHIFT = 0,                // 1: columns are bits b with x = 2b - 1
    parameter SUM_WIDTH = 2,            // more than VALUE_WIDTH
    parameter OUT_WIDTH = 1,            // 1: sum >= 0; SUM_WIDTH: the sum itself
    parameter [NEURONS*COLUMNS-1:0] WEIGHTS = 0,        // bit i*COLUMNS + j: 1 is +1
    parameter [COLUMNS-1:0] INPUTS = 0,                 // columns that the network reads
    parameter [NEURONS*SUM_WIDTH-1:0] FIRST = 0         // what a sum starts from
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    output wire ready,
    input  wire [VALUE_WIDTH-1:0] column,
    input  wire last,
    input  wire wrong,
    output wire loaded,
    output reg  loaded_wrong,
    input  wire start,
    output wire out_valid,
    output wire [NEURONS*OUT_WIDTH-1:0] out
);
    localparam [1:0] TAKE = 0, TOTAL = 1, START = 2;
    reg [1:0] phase;
    reg [INDEX_WIDTH-1:0] index;
    reg [SUM_WIDTH-1:0] total;
    wire sign = column[VALUE_WIDTH-1] & (VALUE_SIGNED != 0);
    wire [SUM_WIDTH-1:0] extended = {{(SUM_WIDTH-VALUE_WIDTH){sign}}, column};
    wire take = ready & valid;
    wire add = take & INPUTS[index];
    assign ready = phase == TAKE;
    assign loaded = phase == START;
    always @(posedge clk) begin
        if (rst) begin
            phase <= TAKE;
            index <= 0;
            total <= 0;
        end else begin
            if (take) index <= last ? {INDEX_WIDTH{1'b0}} : index + 1'b1;
            if (loaded) total <= 0;
            else if (add) total <= total + extended;
            if (take & last) phase <= TOTAL;
            else if (phase == TOTAL) phase <= START;
            else if (start) phase <= TAKE;
        end
        if (take & last) loaded_wrong <= wrong;
    end

    reg add_1, total_1, end_1;
    reg [SUM_WIDTH-1:0] value_1;
    assign out_valid = end_1;
    always @(posedge clk) begin
        add_1 <= add & ~rst;
        total_1 <= phase == TOTAL & ~rst;
        end_1 <= start & ~rst;
        value_1 <= phase == TOTAL ? -(total << SHIFT) : extended << (SHIFT + 1);
    end

    genvar i;
    generate
        for (i = 0; i < NEURONS; i = i + 1) begin : neuron
            localparam [COLUMNS-1:0] ROW = WEIGHTS[i*COLUMNS +: COLUMNS];
            localparam [SUM_WIDTH-1:0] ZERO = FIRST[i*SUM_WIDTH +: SUM_WIDTH];
            reg weight_1;
            reg [SUM_WIDTH-1:0] sum;
            always @(posedge clk) begin
                weight_1 <= ROW[index];
                if (rst | end_1) sum <= ZERO;
                else if (total_1 | (add_1 & weight_1)) sum <= sum + value_1;
            end
            if (OUT_WIDTH == 1) begin : sign_
                assign out[i] = ~sum[SUM_WIDTH-1];
            end else begin : whole
                assign out[i*OUT_WIDTH +: OUT_WIDTH] = sum;
            end
        end
    endgenerate
endmodule
