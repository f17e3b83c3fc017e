// Layer 1, folded: LANES neurons at a time, one input that is not 0 per clock.
//
// Neurons form groups of LANES. In the ROM a group has one word per input, bit p the weight of lane p
// (1 is +1), then THRESHOLD_WIDTH words: bit p of these, highest first, is the number that lane p
// starts from, minus its threshold. The clocks of a group:
//   start: shift these words in, lane by lane      acc_p = -t_p
//   then one entry per clock                       acc_p += W_pk x_k << SHIFT
//   end:   all lanes move to a shift register and leave it OUT_LANES per clock, while the next group
//          goes on; it waits before its own end if they have not left by then.
// A group takes max(THRESHOLD_WIDTH + count, LANES / OUT_LANES + 4) clocks; a pipeline of three stages:
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
    parameter SUM_WIDTH = 3,            // of acc; more than VALUE_WIDTH + SHIFT
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

    // Stage 0.
    reg running, on_entries, leaving;
    reg [GROUP_WIDTH-1:0] group;
    reg [ADDRESS_WIDTH-1:0] base;
    reg [WORD_WIDTH-1:0] threshold_word;
    reg [COUNT_WIDTH-1:0] next_entry;
    wire thresholds_end = threshold_word == LAST_THRESHOLD;
    wire [COUNT_WIDTH-1:0] following_entry = next_entry + 1'b1;
    wire group_ends = on_entries ? following_entry == count : thresholds_end & (count == 0);
    wire image_ends = group_ends & (group == LAST_GROUP);
    wire issue = running & ~(group_ends & leaving);
    wire all_left;
    assign entry = next_entry[INDEX_WIDTH-1:0];
    assign done = issue & image_ends;

    always @(posedge clk) begin
        if (rst | start) begin
            running <= ~rst;
            on_entries <= 1'b0;
            group <= 0;
            base <= 0;
            threshold_word <= FIRST_THRESHOLD;
            next_entry <= 0;
        end else if (issue) begin
            running <= ~image_ends;
            if (group_ends) begin
                on_entries <= 1'b0;
                group <= group + 1'b1;
                base <= base + GROUP_WORDS;
                threshold_word <= FIRST_THRESHOLD;
                next_entry <= 0;
            end else if (on_entries) begin
                next_entry <= following_entry;
            end else begin
                on_entries <= thresholds_end;
                threshold_word <= threshold_word + 1'b1;
            end
        end
        if (rst | all_left) leaving <= 1'b0;
        else if (issue & group_ends) leaving <= 1'b1;
    end

    // Stage 1: index and value of the entry are here.
    reg valid_1, entry_1, first_1, end_1, last_1;
    reg [ADDRESS_WIDTH-1:0] base_1;
    reg [WORD_WIDTH-1:0] threshold_word_1;
    wire [WORD_WIDTH-1:0] word_1 = entry_1 ? index : threshold_word_1;
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
        entry_1 <= on_entries;
        first_1 <= threshold_word == FIRST_THRESHOLD;
        end_1 <= issue & group_ends & ~rst;
        last_1 <= group == LAST_GROUP;
        base_1 <= base;
        threshold_word_1 <= threshold_word;
    end

    // Stage 2: the weights are here.
    reg valid_2, entry_2, first_2, end_2, last_2;
    reg signed [SUM_WIDTH-1:0] value_2;
    wire [LANES-1:0] bits_2;
    wire sign_1 = value[VALUE_WIDTH-1] & (VALUE_SIGNED != 0);
    wire [SUM_WIDTH-1:0] extended_1 = {{(SUM_WIDTH-VALUE_WIDTH){sign_1}}, value};
    always @(posedge clk) begin
        valid_2 <= valid_1 & ~rst;
        entry_2 <= entry_1;
        first_2 <= first_1;
        end_2 <= end_1 & ~rst;
        last_2 <= last_1;
        value_2 <= extended_1 << SHIFT;
    end
    bitbayes_rom #(.WIDTH(LANES), .DEPTH(GROUPS * (INPUTS + THRESHOLD_WIDTH)),
                   .ADDRESS_WIDTH(ADDRESS_WIDTH), .FILE(WEIGHTS_FILE)) weights (
        .clk(clk), .address(address_1), .data(bits_2));

    wire [LANES*LANE_WIDTH-1:0] results;
    genvar p;
    generate
        for (p = 0; p < LANES; p = p + 1) begin : lane
            reg signed [SUM_WIDTH-1:0] acc;
            always @(posedge clk) begin
                if (valid_2) begin
                    if (entry_2) acc <= bits_2[p] ? acc + value_2 : acc - value_2;
                    else acc <= {first_2 ? {(SUM_WIDTH-1){bits_2[p]}} : acc[SUM_WIDTH-2:0], bits_2[p]};
                end
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
