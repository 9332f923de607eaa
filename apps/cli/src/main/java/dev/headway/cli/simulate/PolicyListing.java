package dev.headway.cli.simulate;

import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;

/** The policies there are, for a person. */
final class PolicyListing {

  private PolicyListing() {}

  static String text() {
    final TextTable table =
        TextTable.forColumns(
            Help.defaultColorScheme(Ansi.OFF),
            new Column(24, 2, Overflow.SPAN),
            new Column(69, 0, Overflow.WRAP));
    table.indentWrappedLines = 0;
    PolicyChoice.descriptions().forEach(table::addRowValues);
    return table.toString();
  }
}
