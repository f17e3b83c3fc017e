// Layer 1, folded: LANES neurons at a time, one input that is not 0 per clock.
//
// Neurons form groups of LANES. In the ROM a group has one word per input, bit p the weight of lane p
// (1 is +1), then THRESHOLD_WIDTH words, bit p of these, lowest first, minus the threshold of lane p.
// A lane only ever adds or not: with P the inputs of weight +1, sum_k W_k x_k = 2 sum_P x_k - sum_k x_k.
// The clocks of a group:
//   clear              acc_p = 0
//   thresholds         acc_p += 2^b where the bit is 1; the highest is the sign
//   entries            acc_p += 2 x_k << SHIFT where the weight is +1
//   total              acc_p -= sum_k x_k << SHIFT
//   then all lanes move to a shift register and leave it OUT_LANES per clock, while the next group goes
//   on; it waits before its own end if they have not left by then.
// A group takes max(THRESHOLD_WIDTH + count + 2, LANES / OUT_LANES + 4) clocks; a pipeline of three stages:
//   0 issue: read an entry   1 its weights are read   2 accumulate
module bitbayes_neurons #(
    parameter LANES = 1,
    parameter GROUPS = 1,
    parameter GROUP_WIDTH = 1,          // holds GROUPS - 1
    parameter INPUTS = 2,
    parameter INDEX_WIDTH = 1,          // holds INPUTS - 1
    parameter COUNT_WIDTH = 2,          // holds INPUTS
    parameter VALUE_WIDTH = 1,
    parameter VALUE_SIGNED = 0,
    parameter SHIFT = 0,
    parameter THRESHOLD_WIDTH = 1,
    parameter WORD_WIDTH = 2,           // holds INPUTS + THRESHOLD_WIDTH - 1
    parameter ADDRESS_WIDTH = 2,        // holds GROUPS * (INPUTS + THRESHOLD_WIDTH) - 1
    parameter SUM_WIDTH = 3,            // of acc; more than VALUE_WIDTH, at least THRESHOLD_WIDTH
    parameter LANE_WIDTH = 1,           // 1: acc >= 0 leaves; SUM_WIDTH: acc itself
    parameter OUT_LANES = 1,            // divides LANES
    parameter BATCHES = 1,              // LANES / OUT_LANES
    parameter LAST_BATCHES = 1,         // of the last group
    parameter BATCH_WIDTH = 1,          // holds BATCHES
    parameter WEIGHTS_FILE = ""
) (
    input  wire clk,
    input  wire rst,
    input  wire start,                              // when no neurons of the last image are left
    input  wire [COUNT_WIDTH-1:0] count,            // of entries; constant until done
    input  wire [SUM_WIDTH-1:0] total,              // of the values; read at the start
    output wire [INDEX_WIDTH-1:0] entry,            // to be read
    input  wire [WORD_WIDTH-1:0] index,             // of it
    input  wire [VALUE_WIDTH-1:0] value,
    output wire done,                               // the entries have been read for the last time
    output wire out_valid,
    output wire [OUT_LANES*LANE_WIDTH-1:0] out
);
    localparam [WORD_WIDTH-1:0] FIRST_THRESHOLD = INPUTS;
    localparam LAST_THRESHOLD_VALUE = INPUTS + THRESHOLD_WIDTH - 1;
    localparam [WORD_WIDTH-1:0] LAST_THRESHOLD = LAST_THRESHOLD_VALUE[WORD_WIDTH-1:0];
    localparam GROUP_WORDS_VALUE = INPUTS + THRESHOLD_WIDTH;
    localparam [ADDRESS_WIDTH-1:0] GROUP_WORDS = GROUP_WORDS_VALUE[ADDRESS_WIDTH-1:0];
    localparam LAST_GROUP_VALUE = GROUPS - 1;
    localparam [GROUP_WIDTH-1:0] LAST_GROUP = LAST_GROUP_VALUE[GROUP_WIDTH-1:0];

    localparam [SUM_WIDTH-1:0] SIGN_POWER = {SUM_WIDTH{1'b1}} << (THRESHOLD_WIDTH - 1);
    localparam [1:0] CLEAR = 0, THRESHOLDS = 1, ENTRIES = 2, TOTAL = 3;

    // Stage 0.
    reg running, leaving;
    reg [1:0] phase;
    reg [GROUP_WIDTH-1:0] group;
    reg [ADDRESS_WIDTH-1:0] base;
    reg [WORD_WIDTH-1:0] threshold_word;
    reg [SUM_WIDTH-1:0] power, minus_total;
    reg [COUNT_WIDTH-1:0] next_entry;
    wire thresholds_end = threshold_word == LAST_THRESHOLD;
    wire [COUNT_WIDTH-1:0] following_entry = next_entry + 1'b1;
    wire group_ends = phase == TOTAL;
    wire image_ends = group_ends & (group == LAST_GROUP);
    wire issue = running & ~(group_ends & leaving);
    wire all_left;
    assign entry = next_entry[INDEX_WIDTH-1:0];
    assign done = issue & image_ends;

    always @(posedge clk) begin
        if (rst | start) begin
            running <= ~rst;
            phase <= CLEAR;
            group <= 0;
            base <= 0;
            minus_total <= -(total << SHIFT);
        end else if (issue) begin
            running <= ~image_ends;
            case (phase)
                CLEAR: begin
                    phase <= THRESHOLDS;
                    threshold_word <= FIRST_THRESHOLD;
                    power <= 1;
                    next_entry <= 0;
                end
                THRESHOLDS: begin
                    if (thresholds_end) phase <= count == 0 ? TOTAL : ENTRIES;
                    threshold_word <= threshold_word + 1'b1;
                    power <= power << 1;
                end
                ENTRIES: begin
                    if (following_entry == count) phase <= TOTAL;
                    next_entry <= following_entry;
                end
                TOTAL: begin
                    phase <= CLEAR;
                    group <= group + 1'b1;
                    base <= base + GROUP_WORDS;
                end
            endcase
        end
        if (rst | all_left) leaving <= 1'b0;
        else if (issue & group_ends) leaving <= 1'b1;
    end

    // Stage 1: index and value of the entry are here.
    reg valid_1, last_1;
    reg [1:0] phase_1;
    reg [ADDRESS_WIDTH-1:0] base_1;
    reg [WORD_WIDTH-1:0] threshold_word_1;
    reg [SUM_WIDTH-1:0] power_1;
    wire [WORD_WIDTH-1:0] word_1 = phase_1 == ENTRIES ? index : threshold_word_1;
    wire [ADDRESS_WIDTH-1:0] address_1;
    generate
        if (ADDRESS_WIDTH > WORD_WIDTH) begin : many_groups
            assign address_1 = base_1 + {{(ADDRESS_WIDTH-WORD_WIDTH){1'b0}}, word_1};
        end else begin : one_group
            assign address_1 = base_1 + word_1;
        end
    endgenerate
    always @(posedge clk) begin
        valid_1 <= issue & ~rst;
        last_1 <= group == LAST_GROUP;
        phase_1 <= phase;
        base_1 <= base;
        threshold_word_1 <= threshold_word;
        power_1 <= thresholds_end ? SIGN_POWER : power;
    end

    // Stage 2: the weights are here.
    reg clear_2, add_2, end_2, last_2;
    reg [SUM_WIDTH-1:0] value_2;
    wire [LANES-1:0] bits_2;
    wire sign_1 = value[VALUE_WIDTH-1] & (VALUE_SIGNED != 0);
    wire [SUM_WIDTH-1:0] extended_1 = {{(SUM_WIDTH-VALUE_WIDTH){sign_1}}, value};
    always @(posedge clk) begin
        clear_2 <= valid_1 & (phase_1 == CLEAR);
        add_2 <= valid_1 & (phase_1 == THRESHOLDS | phase_1 == ENTRIES);
        end_2 <= valid_1 & (phase_1 == TOTAL) & ~rst;
        last_2 <= last_1;
        case (phase_1)
            ENTRIES: value_2 <= extended_1 << (SHIFT + 1);
            TOTAL: value_2 <= minus_total;
            default: value_2 <= power_1;
        endcase
    end
    bitbayes_rom #(.WIDTH(LANES), .DEPTH(GROUPS * (INPUTS + THRESHOLD_WIDTH)),
                   .ADDRESS_WIDTH(ADDRESS_WIDTH), .FILE(WEIGHTS_FILE)) weights (
        .clk(clk), .address(address_1), .data(bits_2));

    wire [LANES*LANE_WIDTH-1:0] results;
    genvar p;
    generate
        for (p = 0; p < LANES; p = p + 1) begin : lane
            reg [SUM_WIDTH-1:0] acc;
            always @(posedge clk) begin
                if (clear_2) acc <= 0;
                else if (end_2 | (add_2 & bits_2[p])) acc <= acc + value_2;
            end
            if (LANE_WIDTH == 1) begin : sign
                assign results[p] = ~acc[SUM_WIDTH-1];
            end else begin : sum
                assign results[p*LANE_WIDTH +: LANE_WIDTH] = acc;
            end
        end
    endgenerate

    // The results leave.
    localparam [BATCH_WIDTH-1:0] ALL_BATCHES = BATCHES;
    localparam [BATCH_WIDTH-1:0] BATCHES_OF_LAST = LAST_BATCHES;
    reg end_3, last_3;
    reg [BATCH_WIDTH-1:0] left;
    reg [LANES*LANE_WIDTH-1:0] shift;
    assign out_valid = left != 0;
    assign all_left = left == 1;
    assign out = shift[OUT_LANES*LANE_WIDTH-1:0];
    always @(posedge clk) begin
        end_3 <= end_2 & ~rst;
        last_3 <= last_2;
        if (rst) left <= 0;
        else if (end_3) left <= last_3 ? BATCHES_OF_LAST : ALL_BATCHES;
        else if (out_valid) left <= left - 1'b1;
        if (end_3) shift <= results;
        else shift <= shift >> (OUT_LANES * LANE_WIDTH);
    end
endmodule
