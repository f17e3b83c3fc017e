// Dense layers, folded: one after another through the same LANES accumulators, one input that is not 0
// per clock; the members of a committee one after another. Layer 1 reads the entries of the loader.
// Neurons of a hidden layer that are +1 are the entries of the next one: its inputs are bits b with
// x = 2b - 1, and sum_k W_k x_k = 2 sum_k W_k b_k - sum_k W_k, where the last sum is part of the threshold.
//
// The neurons of a layer form groups of LANES. In the ROM a group has THRESHOLD_WIDTH words, bit p of
// these, lowest first, minus the threshold of lane p, then one word per input, bit p the weight of lane
// p (1 is +1). A lane only ever adds or not, as in neurons.v, and so are the clocks of a group:
//   clear              acc_p = 0; a new layer first waits until all neurons of the last one have left
//   thresholds         acc_p += 2^b where the bit is 1; the highest is the sign
//   entries            acc_p += 2 x_k << SHIFT where the weight is +1; in the layers above += 4
//   total              acc_p -= sum_k x_k << SHIFT; in the layers above -= 2 per entry
//   then all lanes move to a shift register and leave it one per clock, while the next group goes on; it
//   waits before its own end if they have not left by then.
// A group takes max(THRESHOLD_WIDTH + entries + 2, LANES + 4) clocks; a new layer starts (neurons of its
// last group) + 4 clocks after the end of the layer below.
module bitbayes_dense_layers #(
    parameter LANES = 1,
    parameter LAYERS = 2,
    parameter MEMBERS = 1,
    parameter MEMBER_WIDTH = 1,         // holds MEMBERS - 1
    parameter ADDRESS_WIDTH = 3,        // holds WORDS - 1; at least INDEX_WIDTH
    parameter SIZE_WIDTH = 3,           // holds every size; at least ADDRESS_WIDTH
    parameter [(LAYERS+2)*SIZE_WIDTH-1:0] SIZES = 0,    // inputs, neurons of each layer, 0; first lowest
    parameter ENTRY_WIDTH = 1,          // holds the inputs of layer 1, less 1
    parameter INDEX_WIDTH = 2,          // holds the largest fan-in
    parameter STORE_WIDTH = 1,          // holds the largest fan-in above layer 1, less 1
    parameter VALUE_WIDTH = 1,
    parameter VALUE_SIGNED = 0,
    parameter SHIFT = 0,
    parameter THRESHOLD_WIDTH = 1,
    parameter SUM_WIDTH = 3,            // of acc; more than VALUE_WIDTH, at least THRESHOLD_WIDTH and 3
    parameter LANE_WIDTH = 1,           // of what leaves the last layer: the sign and the lowest bits of acc
    parameter WORDS = 2,                // of the ROM
    parameter WEIGHTS_FILE = ""
) (
    input  wire clk,
    input  wire rst,
    input  wire start,                              // when no neurons of the last image are left
    input  wire [INDEX_WIDTH-1:0] count,            // of the loader's entries; constant until done
    input  wire [SUM_WIDTH-1:0] total,              // of their values
    output wire [ENTRY_WIDTH-1:0] entry,            // to be read
    input  wire [INDEX_WIDTH-1:0] index,            // of it
    input  wire [VALUE_WIDTH-1:0] value,
    output wire done,                               // the entries have been read for the last time
    output wire out_valid,
    output wire signed [LANE_WIDTH-1:0] out
);
    localparam LAST_MEMBER_VALUE = MEMBERS - 1;
    localparam [MEMBER_WIDTH-1:0] LAST_MEMBER = LAST_MEMBER_VALUE[MEMBER_WIDTH-1:0];
    localparam [SIZE_WIDTH-1:0] ALL_LANES = LANES;
    localparam [SUM_WIDTH-1:0] TWO = 2, FOUR = 4;
    localparam [1:0] CLEAR = 0, THRESHOLDS = 1, ENTRIES = 2, TOTAL = 3;

    // Stage 0: read an entry.
    reg running, layer_starts, layer_is_first;
    reg [1:0] phase;
    reg [MEMBER_WIDTH-1:0] member;
    reg [(LAYERS+2)*SIZE_WIDTH-1:0] sizes;          // from the inputs of this layer on
    reg [ADDRESS_WIDTH-1:0] base;
    reg [SIZE_WIDTH-1:0] remaining, leaving;        // neurons of the layer; of the last group
    reg [SUM_WIDTH-1:0] power, minus_total;
    reg [INDEX_WIDTH-1:0] entries, next_entry;
    reg [INDEX_WIDTH-1:0] stored;                   // entries for the next layer
    reg [SUM_WIDTH-1:0] minus_stored;               // minus their total
    wire layer_is_last = sizes[2*SIZE_WIDTH +: SIZE_WIDTH] == 0;
    wire last_member = member == LAST_MEMBER;
    wire thresholds_end = power[THRESHOLD_WIDTH-1];
    wire [INDEX_WIDTH-1:0] following_entry = next_entry + 1'b1;
    wire group_ends = phase == TOTAL;
    wire layer_ends = group_ends & (remaining <= ALL_LANES);
    wire waits = (leaving != 0) & (group_ends | layer_starts);
    wire issue = running & ~waits;
    wire starts_layer = issue & layer_starts;
    wire ends_group = issue & group_ends;
    assign entry = next_entry[ENTRY_WIDTH-1:0];
    assign done = issue & layer_ends & layer_is_first & last_member;

    always @(posedge clk) begin
        if (rst | start) begin
            running <= ~rst;
            phase <= CLEAR;
            member <= 0;
            base <= 0;
            sizes <= SIZES;
            layer_starts <= 1'b1;
            layer_is_first <= 1'b1;
        end else if (issue) begin
            layer_starts <= layer_ends;
            case (phase)
                CLEAR: begin
                    phase <= THRESHOLDS;
                    power <= 1;
                    next_entry <= 0;
                    if (layer_starts) begin
                        remaining <= sizes[SIZE_WIDTH +: SIZE_WIDTH];
                        entries <= layer_is_first ? count : stored;
                        minus_total <= layer_is_first ? -(total << SHIFT) : minus_stored;
                    end
                end
                THRESHOLDS: begin
                    if (thresholds_end) phase <= entries == 0 ? TOTAL : ENTRIES;
                    base <= base + 1'b1;
                    power <= power << 1;
                end
                ENTRIES: begin
                    if (following_entry == entries) phase <= TOTAL;
                    next_entry <= following_entry;
                end
                TOTAL: begin
                    phase <= CLEAR;
                    base <= base + sizes[ADDRESS_WIDTH-1:0];
                    remaining <= remaining - ALL_LANES;
                    if (layer_ends) begin
                        layer_is_first <= layer_is_last;
                        sizes <= layer_is_last ? SIZES : sizes >> SIZE_WIDTH;
                        if (layer_is_last) begin
                            running <= ~last_member;
                            member <= member + 1'b1;
                        end
                    end
                end
            endcase
        end
    end

    // Stage 1: index and value of the entry are here.
    reg valid_1, layer_is_first_1;
    reg [1:0] phase_1;
    reg [ADDRESS_WIDTH-1:0] base_1;
    reg [SUM_WIDTH-1:0] power_1;
    wire [INDEX_WIDTH-1:0] stored_index;
    wire [INDEX_WIDTH-1:0] index_1 = layer_is_first_1 ? index : stored_index;
    wire [ADDRESS_WIDTH-1:0] offset_1;
    generate
        if (ADDRESS_WIDTH > INDEX_WIDTH) begin : wide_index
            assign offset_1 = {{(ADDRESS_WIDTH-INDEX_WIDTH){1'b0}}, index_1};
        end else begin : whole_index
            assign offset_1 = index_1;
        end
    endgenerate
    wire [ADDRESS_WIDTH-1:0] address_1 = phase_1 == ENTRIES ? base_1 + offset_1 : base_1;
    always @(posedge clk) begin
        valid_1 <= issue & ~rst;
        layer_is_first_1 <= layer_is_first;
        phase_1 <= phase;
        base_1 <= base;
        power_1 <= thresholds_end ? -power : power;
    end

    // Stage 2: the weights are here.
    reg clear_2, add_2, end_2;
    reg [SUM_WIDTH-1:0] value_2;
    wire [LANES-1:0] bits_2;
    wire sign_1 = value[VALUE_WIDTH-1] & (VALUE_SIGNED != 0);
    wire [SUM_WIDTH-1:0] extended_1 = {{(SUM_WIDTH-VALUE_WIDTH){sign_1}}, value};
    always @(posedge clk) begin
        clear_2 <= valid_1 & (phase_1 == CLEAR);
        add_2 <= valid_1 & (phase_1 == THRESHOLDS | phase_1 == ENTRIES);
        end_2 <= valid_1 & (phase_1 == TOTAL) & ~rst;
        case (phase_1)
            ENTRIES: value_2 <= layer_is_first_1 ? extended_1 << (SHIFT + 1) : FOUR;
            TOTAL: value_2 <= minus_total;
            default: value_2 <= power_1;
        endcase
    end
    bitbayes_rom #(.WIDTH(LANES), .DEPTH(WORDS), .ADDRESS_WIDTH(ADDRESS_WIDTH),
                   .FILE(WEIGHTS_FILE)) weights (
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
            assign results[(p+1)*LANE_WIDTH-1] = acc[SUM_WIDTH-1];
            if (LANE_WIDTH > 1) begin : sum
                assign results[p*LANE_WIDTH +: LANE_WIDTH-1] = acc[LANE_WIDTH-2:0];
            end
        end
    endgenerate

    // The results leave.
    reg end_3, shifting, hidden;
    reg [LANES*LANE_WIDTH-1:0] shift;
    assign out_valid = shifting & ~hidden;
    assign out = shift[LANE_WIDTH-1:0];
    always @(posedge clk) begin
        end_3 <= end_2 & ~rst;
        shifting <= ~rst & (end_3 | (shifting & (leaving != 1)));
        if (rst) leaving <= 0;
        else if (ends_group) leaving <= layer_ends ? remaining : ALL_LANES;
        else if (shifting) leaving <= leaving - 1'b1;
        if (ends_group) hidden <= ~layer_is_last;
        if (end_3) shift <= results;
        else shift <= shift >> LANE_WIDTH;
    end

    // Those of a hidden layer are stored while the entries of the layer below are read from the other bank.
    reg bank;
    reg [INDEX_WIDTH-1:0] neuron;
    wire keep = shifting & hidden & ~out[LANE_WIDTH-1];
    always @(posedge clk) begin
        if (rst) bank <= 1'b0;
        else if (starts_layer) bank <= ~bank;
        if (starts_layer) begin
            neuron <= 0;
            stored <= 0;
            minus_stored <= 0;
        end else if (shifting) begin
            neuron <= neuron + 1'b1;
            if (keep) begin
                stored <= stored + 1'b1;
                minus_stored <= minus_stored - TWO;
            end
        end
    end
    bitbayes_ram #(.WIDTH(INDEX_WIDTH), .DEPTH(2 << STORE_WIDTH), .ADDRESS_WIDTH(STORE_WIDTH + 1)) store (
        .clk(clk), .write(keep), .write_address({~bank, stored[STORE_WIDTH-1:0]}), .write_data(neuron),
        .read_address({bank, next_entry[STORE_WIDTH-1:0]}), .read_data(stored_index));
endmodule
