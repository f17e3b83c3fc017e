// Scores that come all at once leave one per clock, the first of them 1 clock later. The next may come
// COUNT clocks after the last.
module bitbayes_scores #(
    parameter COUNT = 1,
    parameter COUNT_WIDTH = 1,          // holds COUNT
    parameter WIDTH = 2
) (
    input  wire clk,
    input  wire rst,
    input  wire valid,
    input  wire [COUNT*WIDTH-1:0] scores,
    output wire out_valid,
    output wire signed [WIDTH-1:0] score
);
    localparam [COUNT_WIDTH-1:0] ALL = COUNT;
    reg [COUNT_WIDTH-1:0] left;
    reg [COUNT*WIDTH-1:0] shift;
    assign out_valid = left != 0;
    assign score = shift[WIDTH-1:0];
    always @(posedge clk) begin
        if (rst) left <= 0;
        else if (valid) left <= ALL;
        else if (out_valid) left <= left - 1'b1;
        shift <= valid ? scores : shift >> WIDTH;
    end
endmodule
