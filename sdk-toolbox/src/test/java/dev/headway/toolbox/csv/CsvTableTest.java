package dev.headway.toolbox.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvTableTest {

  private record Row(String name, long ns) {}

  private static CsvTable<Row> with(CsvTable<Row> empty) {
    return empty
        .column("name", Row::name)
        .column("never", row -> null)
        .whole("ns", Row::ns)
        .seconds("s", Row::ns);
  }

  @Test
  void shouldWriteACellOfEachColumn() throws IOException {
    final StringBuilder text = new StringBuilder();
    try (CsvWriter<Row> rows = with(CsvTable.of()).writeTo(text)) {
      rows.write(new Row("a \"b\", c", 1_500_000_000));
      rows.write(new Row("d", Long.MIN_VALUE));
    }

    assertThat(text)
        .hasToString(
            """
        name,never,ns,s
        "a ""b"", c",,1500000000,1.500000000
        d,,,
        """);
  }

  @Test
  void shouldEndLinesAsAsked() throws IOException {
    final StringBuilder text = new StringBuilder();
    try (CsvWriter<Row> rows = with(CsvTable.withCrLf()).writeTo(text)) {
      rows.write(new Row("d", 0));
    }

    assertThat(text).hasToString("name,never,ns,s\r\nd,,0,0.000000000\r\n");
  }

  @Test
  void shouldBeReadAsItWasWritten(@TempDir Path folder) throws IOException {
    final Path file = folder.resolve("rows.csv");
    try (CsvWriter<Row> rows = with(CsvTable.of()).create(file)) {
      rows.write(new Row("two\nlines", 7));
    }
    final List<String> read = new ArrayList<>();
    CsvReader.read(file, row -> read.add(row.get("name") + "|" + row.get("ns")));

    assertThat(read).containsExactly("two\nlines|7");
    assertThat(CsvReader.columns(file)).containsExactly("name", "never", "ns", "s");
    assertThat(Files.readString(file)).doesNotContain("\r");
  }
}
