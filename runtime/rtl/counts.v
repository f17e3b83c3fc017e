// Layer 1 of the parallel form with comparators. A column has SLOTS of them, those that it needs and others
// that never say 1; as it arrives all of them decide, and every neuron counts how many agree with its weights:
//   sum_i = first_i + 2 (how many slots of all columns agree)
// The clocks of a row: one per column, one to start it on its way. The sums are at `out` LEVELS + 2 clocks after
// the start, for one clock.
module bitbayes_counts #(
    parameter NEURONS = 1,
    parameter COLUMNS = 1,
    parameter INDEX_WIDTH = 1,          // holds COLUMNS - 1
    parameter COLUMN_WIDTH = 1,
    parameter COLUMN_SIGNED = 0,
    parameter SLOTS = 1,
    parameter LEVELS = 0,               // the largest with 2^LEVELS <= SLOTS
    parameter SUM_WIDTH = 3,            // more than LEVELS + 2
    parameter OUT_WIDTH = 1,            // 1: sum >= 0; SUM_WIDTH: the sum itself
    // Bit b of the comparator of slot s and column j is at (s*(COLUMN_WIDTH+1) + b)*COLUMNS + j.
    parameter [SLOTS*(COLUMN_WIDTH+1)*COLUMNS-1:0] LIMITS = 0,
    parameter [SLOTS*COLUMNS-1:0] WORDS = 0,            // bit s*COLUMNS + j: equal, not greater
    parameter [NEURONS*SLOTS*COLUMNS-1:0] WEIGHTS = 0,  // bit (i*SLOTS + s)*COLUMNS + j: 1 is +1
    parameter [NEURONS*SUM_WIDTH-1:0] FIRST = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    output wire ready,
    input  wire [COLUMN_WIDTH-1:0] column,
    input  wire last,
    input  wire wrong,
    output reg  loaded,
    output reg  loaded_wrong,
    input  wire start,
    output wire out_valid,
    output wire [NEURONS*OUT_WIDTH-1:0] out
);
    wire take = valid & ready;
    reg [INDEX_WIDTH-1:0] index, index_1;
    reg [LEVELS+1:0] adds, ends;        // of the stages from here to the sums
    wire add = adds[LEVELS+1];
    assign ready = ~loaded;
    assign out_valid = ends[LEVELS+1];
    always @(posedge clk) begin
        if (rst) begin
            loaded <= 1'b0;
            index <= 0;
            adds <= 0;
            ends <= 0;
        end else begin
            loaded <= loaded ? ~start : take & last;
            if (take) index <= last ? {INDEX_WIDTH{1'b0}} : index + 1'b1;
            adds <= {adds[LEVELS:0], take};
            ends <= {ends[LEVELS:0], start};
        end
        if (take) loaded_wrong <= wrong;
    end

    // Stage 1: column and comparators. Stage 2: decisions and weights.
    reg signed [COLUMN_WIDTH:0] column_1;
    wire [SLOTS-1:0] bits_2;
    always @(posedge clk) begin
        column_1 <= {column[COLUMN_WIDTH-1] & (COLUMN_SIGNED != 0), column};
        index_1 <= index;
    end
    genvar i, s, b;
    generate
        for (s = 0; s < SLOTS; s = s + 1) begin : slot
            localparam [COLUMNS-1:0] IS_WORD = WORDS[s*COLUMNS +: COLUMNS];
            reg signed [COLUMN_WIDTH:0] limit_1;
            reg word_1, bit_2;
            for (b = 0; b <= COLUMN_WIDTH; b = b + 1) begin : limit
                localparam [COLUMNS-1:0] BITS = LIMITS[(s*(COLUMN_WIDTH+1)+b)*COLUMNS +: COLUMNS];
                always @(posedge clk) limit_1[b] <= BITS[index];
            end
            always @(posedge clk) begin
                word_1 <= IS_WORD[index];
                bit_2 <= word_1 ? column_1 == limit_1 : column_1 > limit_1;
            end
            assign bits_2[s] = bit_2;
        end
        for (i = 0; i < NEURONS; i = i + 1) begin : neuron
            localparam [SUM_WIDTH-1:0] ZERO = FIRST[i*SUM_WIDTH +: SUM_WIDTH];
            wire [SLOTS-1:0] weights_2;
            for (s = 0; s < SLOTS; s = s + 1) begin : weight
                localparam [COLUMNS-1:0] BITS = WEIGHTS[(i*SLOTS+s)*COLUMNS +: COLUMNS];
                reg weight_2;
                always @(posedge clk) weight_2 <= BITS[index_1];
                assign weights_2[s] = weight_2;
            end
            wire [LEVELS:0] agree;
            bitbayes_popcount #(.COUNT(SLOTS), .LEVELS(LEVELS)) popcount (
                .clk(clk), .bits(bits_2 ~^ weights_2), .sum(agree));
            reg [SUM_WIDTH-1:0] sum;
            always @(posedge clk) begin
                if (rst | out_valid) sum <= ZERO;
                else if (add) sum <= sum + {{(SUM_WIDTH-LEVELS-2){1'b0}}, agree, 1'b0};
            end
            if (OUT_WIDTH == 1) begin : sign
                assign out[i] = ~sum[SUM_WIDTH-1];
            end else begin : whole
                assign out[i*OUT_WIDTH +: OUT_WIDTH] = sum;
            end
        end
    endgenerate
endmodule
