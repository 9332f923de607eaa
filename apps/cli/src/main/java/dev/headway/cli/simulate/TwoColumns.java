package dev.headway.cli.simulate;

import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;

/** A table of names and what they are, for a person. */
final class TwoColumns {

  private TwoColumns() {}

  /** An empty one, without colours; texts that are too long go on in the next line. */
  static TextTable of(int nameWidth, int textWidth) {
    final TextTable table =
        TextTable.forColumns(
            Help.defaultColorScheme(Ansi.OFF),
            new Column(nameWidth, 2, Overflow.SPAN),
            new Column(textWidth, 0, Overflow.WRAP));
    table.indentWrappedLines = 0;
    return table;
  }
}
