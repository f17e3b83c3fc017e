// A layer of a tree, folded: LANES of its fan-in per clock. Neurons come one after another, those of
// the next member of a committee after the last. Latency LEVELS + 1 clocks from the last lanes of a
// neuron.
module bitbayes_tree_layer #(
    parameter LANES = 1,
    parameter BATCHES = 1,              // fan-in / LANES
    parameter BATCH_WIDTH = 1,          // holds BATCHES - 1
    parameter LEVELS = 0,               // the largest with 2^LEVELS <= LANES
    parameter SUM_WIDTH = 2,            // signed; holds the fan-in; LEVELS + 3 or more
    parameter WORDS = 1,                // neurons * BATCHES; of LANES weights each, 1 is +1
    parameter ADDRESS_WIDTH = 1,        // holds WORDS - 1
    parameter WEIGHTS_FILE = ""
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    input  wire [LANES-1:0] signs,
    output reg  out_valid,
    output reg  signed [SUM_WIDTH-1:0] sum
);
    localparam LAST_BATCH_VALUE = BATCHES - 1;
    localparam [BATCH_WIDTH-1:0] LAST_BATCH = LAST_BATCH_VALUE[BATCH_WIDTH-1:0];
    localparam LAST_WORD_VALUE = WORDS - 1;
    localparam [ADDRESS_WIDTH-1:0] LAST_WORD = LAST_WORD_VALUE[ADDRESS_WIDTH-1:0];
    localparam [SUM_WIDTH-1:0] ALL = LANES;

    reg [ADDRESS_WIDTH-1:0] word;
    wire [ADDRESS_WIDTH-1:0] next_word =
        rst ? {ADDRESS_WIDTH{1'b0}} :
        ~valid ? word :
        word == LAST_WORD ? {ADDRESS_WIDTH{1'b0}} : word + 1'b1;
    wire [LANES-1:0] weights;
    bitbayes_rom #(.WIDTH(LANES), .DEPTH(WORDS), .ADDRESS_WIDTH(ADDRESS_WIDTH),
                   .FILE(WEIGHTS_FILE)) rom (
        .clk(clk), .address(next_word), .data(weights));

    wire [LEVELS:0] agree;
    bitbayes_popcount #(.COUNT(LANES), .LEVELS(LEVELS)) popcount (
        .clk(clk), .bits(signs ~^ weights), .sum(agree));
    wire counted;
    generate
        if (LEVELS == 0) begin : at_once
            assign counted = valid;
        end else begin : later
            reg [LEVELS:0] stages;
            always @(posedge clk) stages <= rst ? {(LEVELS+1){1'b0}} : {stages[LEVELS-1:0], valid};
            assign counted = stages[LEVELS-1];
        end
    endgenerate

    reg [BATCH_WIDTH-1:0] batch;
    wire ends = batch == LAST_BATCH;
    reg signed [SUM_WIDTH-1:0] partial;
    wire [SUM_WIDTH-1:0] next_partial =
        partial + {{(SUM_WIDTH-LEVELS-2){1'b0}}, agree, 1'b0} - ALL;
    always @(posedge clk) begin
        word <= next_word;
        out_valid <= counted & ends & ~rst;
        if (rst) begin
            batch <= 0;
            partial <= 0;
        end else if (counted) begin
            batch <= ends ? {BATCH_WIDTH{1'b0}} : batch + 1'b1;
            partial <= ends ? {SUM_WIDTH{1'b0}} : next_partial;
            sum <= next_partial;
        end
    end
endmodule
