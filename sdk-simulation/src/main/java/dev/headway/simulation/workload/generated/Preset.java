package dev.headway.simulation.workload.generated;

/** Loads with usual values for every option of a generated one. */
enum Preset {
  GENERATED("generated", "8", "512", "128", "any lengths and arrivals; 512 tokens in, 128 out"),
  CHATBOT(
      "chatbot",
      "8",
      "normal:256:100:2:800",
      "normal:256:100:1:1024",
      "as in BLIS: about 256 tokens in, 256 out"),
  CONTENTGEN(
      "contentgen",
      "2",
      "normal:1024:150:10:2048",
      "normal:1024:200:10:2048",
      "as in BLIS: about 1,024 tokens in, 1,024 out"),
  SUMMARIZATION(
      "summarization",
      "1",
      "normal:4096:500:100:8192",
      "normal:512:150:10:2048",
      "as in BLIS: about 4,096 tokens in, 512 out"),
  MULTIDOC(
      "multidoc",
      "0.4",
      "normal:10240:1200:500:20480",
      "normal:1536:300:50:4096",
      "as in BLIS: about 10,240 tokens in, 1,536 out");

  private final String label;
  private final String rate;
  private final String input;
  private final String output;
  private final String origin;

  Preset(String label, String rate, String input, String output, String origin) {
    this.label = label;
    this.rate = rate;
    this.input = input;
    this.output = output;
    this.origin = origin;
  }

  String label() {
    return label;
  }

  /** What a list of loads says about it. */
  String summary() {
    return origin + ", rate=" + rate;
  }

  GeneratedLoad make(Options options) {
    final GeneratedLoad.Builder builder = Vllm.common(label, options, rate, 2_000, 1, false);
    builder.input(LengthForms.parse("input", options.text("input", input)));
    builder.output(LengthForms.parse("output", options.text("output", output)));
    if (options.has("prefix-tokens") && !options.has("prefix-groups")) {
      throw options.wrong("prefix-tokens needs prefix-groups", "prefix-groups", null, null);
    }
    final int groups = options.integer("prefix-groups", 0);
    return builder
        .prefixes(groups, options.integer("prefix-tokens", groups == 0 ? 0 : 256))
        .build();
  }
}
