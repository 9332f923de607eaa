package dev.headway.probes.csv;

import dev.headway.probes.csv.projection.RowFiles;
import dev.headway.probes.csv.table.Column;
import dev.headway.probes.csv.table.ColumnDefinition;
import dev.headway.probes.csv.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Renders the reference page of all files and columns, from the definitions that write the headers.
 */
public final class CsvReference {

  private CsvReference() {}

  /** Writes the page to the file given as the only argument. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      throw new IllegalArgumentException(
          "one argument is needed, the file to write: arguments=" + arguments.length);
    }
    Files.writeString(Path.of(arguments[0]), markdown());
  }

  /** Returns the page. */
  public static String markdown() {
    final StringBuilder page = new StringBuilder("# CSV files\n\n");
    page.append("Schema version ").append(Manifest.SCHEMA_VERSION).append(". ");
    page.append(
        "Times are integer nanoseconds since the start of the run. An empty cell is an absent"
            + " value. Files are UTF-8 with LF; quoting follows RFC 4180. Text that a spreadsheet"
            + " would take for a formula has a `'` in front: drop one leading `'` of a text cell"
            + " to have the exact text; `--raw` writes it as it is. Columns are only ever"
            + " appended.\n");
    RowFiles.tables().forEach(table -> append(page, table));
    return page.toString();
  }

  private static void append(StringBuilder page, Table<?> table) {
    page.append("\n## ").append(table.fileName()).append("\n\n");
    page.append(table.description()).append(' ').append(table.order()).append("\n\n");
    page.append("| column | type | unit | from | to | meaning |\n");
    page.append("|---|---|---|---|---|---|\n");
    for (Column<?> column : table.columns()) {
      final ColumnDefinition definition = column.definition();
      page.append("| ").append(code(definition.name()));
      page.append(" | ").append(definition.type().label());
      page.append(" | ").append(definition.unit());
      page.append(" | ").append(code(definition.begin()));
      page.append(" | ").append(code(definition.end()));
      page.append(" | ").append(definition.description().replace("|", "\\|")).append(" |\n");
    }
  }

  private static String code(String name) {
    return name.isEmpty() ? "" : "`" + name + "`";
  }
}
