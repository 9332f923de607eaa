package dev.headway.simulation.workload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Rows of a JSONL trace: one flat object per line, parsed as a stream. */
final class JsonRows implements RowSource {
  private static final String HASH_IDS = "hash_ids";
  private static final int MAX_KEYS = 256;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(16).maxNameLength(1024).build())
          .build();

  private final LineReader lines;
  private final CellParser cells;
  private final RowAssembler assembler;

  JsonRows(LineReader lines, TraceFormat format) {
    this.lines = lines;
    this.cells = new CellParser(lines.file());
    this.assembler = new RowAssembler(format, cells);
  }

  /** The keys of one object, for recognising the format. */
  static List<String> keys(LineReader lines, String line) {
    return new ArrayList<>(new JsonLine(new CellParser(lines.file()), lines, line).keys);
  }

  /** The characters of a string, which a row has in quotes so that it is no number. */
  static String unquoted(String text) {
    return text.length() > 1 && text.startsWith("\"") ? text.substring(1, text.length() - 1) : text;
  }

  @Override
  public @Nullable TraceRow next() throws IOException {
    if (lines.peekNotBlank() == null) {
      return null;
    }
    final String line = lines.next();
    return line == null ? null : assembler.assemble(new JsonLine(cells, lines, line));
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  /** One object: its scalar members as text, its block ids, and the names of all members. */
  private static final class JsonLine implements RowAssembler.Fields {
    private final CellParser cells;
    private final LineReader lines;
    private final Set<String> keys = new LinkedHashSet<>();
    private String lastKey = "none";
    private final Map<String, String> texts = new HashMap<>();
    private int[] ids = {};

    JsonLine(CellParser cells, LineReader lines, String line) {
      this.cells = cells;
      this.lines = lines;
      try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
        readOrExplain(parser);
      }
    }

    private void readOrExplain(JsonParser parser) {
      try {
        readObject(parser);
      } catch (JacksonException e) {
        final String name = parser.currentName(); // known before its value is accepted
        lastKey = name == null ? lastKey : name;
        throw notOneObject(e);
      }
    }

    private void readObject(JsonParser parser) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw notOneObject(null);
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        final String key = parser.currentName();
        if (!keys.add(key)) {
          throw cells.unreadable(line(), key, "given twice", "must be there once");
        }
        if (keys.size() > MAX_KEYS) {
          throw cells.unreadable(
              line(), key, "key", "must be one of at most " + MAX_KEYS + " keys");
        }
        lastKey = key;
        readValue(parser, key);
      }
      if (parser.nextToken() != null) {
        throw notOneObject(null);
      }
    }

    private void readValue(JsonParser parser, String key) {
      final JsonToken value = parser.nextToken();
      if (key.equals(HASH_IDS) && value == JsonToken.START_ARRAY) {
        ids = readIds(parser);
      } else if (value.isStructStart()) {
        parser.skipChildren();
        if (key.equals(HASH_IDS)) {
          throw cells.unreadable(line(), key, "{...}", "must be a list of block ids");
        }
      } else if (value.isNumeric() || value == JsonToken.VALUE_STRING) {
        texts.put(key, value.isNumeric() ? parser.getString() : '"' + parser.getString() + '"');
      }
    }

    private int[] readIds(JsonParser parser) {
      int[] read = new int[32];
      int count = 0;
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (!parser.currentToken().isNumeric()) {
          throw cells.unreadable(line(), HASH_IDS, "not a number", "must be a list of block ids");
        }
        if (count == read.length) {
          read = Arrays.copyOf(read, 2 * count);
        }
        read[count++] =
            (int) cells.integer(line(), HASH_IDS, parser.getString(), 0, Integer.MAX_VALUE);
      }
      return Arrays.copyOf(read, count);
    }

    private TraceFormatException notOneObject(@Nullable JacksonException cause) {
      return new TraceFormatException(
          "trace row is not readable: file=%s, line=%d, column=%s; must be one JSON object"
              .formatted(lines.file(), line(), lastKey),
          cause);
    }

    @Override
    public long line() {
      return lines.number();
    }

    @Override
    public @Nullable String text(String column) {
      return texts.get(column);
    }

    @Override
    public int[] hashIds() {
      return ids;
    }
  }
}
