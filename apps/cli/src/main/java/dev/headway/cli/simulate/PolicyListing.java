package dev.headway.cli.simulate;

/** The policies there are, for a person. */
final class PolicyListing {

  private static final int NAME = 22;
  private static final int WIDTH = 90;

  private PolicyListing() {}

  static String text() {
    final StringBuilder text = new StringBuilder();
    PolicyChoice.descriptions()
        .forEach(
            (name, description) -> {
              String label = name;
              final StringBuilder line = new StringBuilder();
              for (String word : description.split(" ", -1)) {
                if (line.length() + 1 + word.length() > WIDTH - NAME) {
                  append(text, label, line);
                  label = "";
                }
                line.append(line.isEmpty() ? "" : " ").append(word);
              }
              append(text, label, line);
            });
    return text.toString();
  }

  private static void append(StringBuilder text, String label, StringBuilder line) {
    text.append("  ")
        .append(label)
        .repeat(" ", Math.max(1, NAME - label.length()))
        .append(line)
        .append('\n');
    line.setLength(0);
  }
}
