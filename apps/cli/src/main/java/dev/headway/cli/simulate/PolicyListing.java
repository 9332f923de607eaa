package dev.headway.cli.simulate;

import picocli.CommandLine.Help.TextTable;

/** The policies there are, for a person. */
final class PolicyListing {

  private PolicyListing() {}

  static String text() {
    final TextTable table = TwoColumns.of(24, 69);
    PolicyChoice.descriptions().forEach(table::addRowValues);
    return table.toString();
  }
}
