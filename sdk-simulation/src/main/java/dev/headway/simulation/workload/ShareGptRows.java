package dev.headway.simulation.workload;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * The conversations of a ShareGPT file, an array of any size that is parsed as a stream. The rules
 * for what is a request are those of {@code vllm bench serve}.
 */
final class ShareGptRows implements RowSource {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(32).maxNameLength(1024).build())
          .build();

  private final String file;
  private final JsonParser parser;
  private final int[] turnTokens = new int[2];
  private int turns;
  private long taken;
  private boolean started;

  ShareGptRows(String file, InputStream in) {
    this.file = file;
    this.parser = JSON.createParser(ObjectReadContext.empty(), in);
  }

  @Override
  public @Nullable TraceRow next() throws IOException {
    try {
      return read();
    } catch (JacksonException e) {
      if (e.getCause() instanceof EOFException || e.getCause() instanceof ZipException) {
        throw LineReader.damaged(file, line(), (IOException) e.getCause());
      }
      throw unreadable("must be an array of conversations in JSON", e);
    }
  }

  private @Nullable TraceRow read() {
    if (!started) {
      started = true;
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw unreadable("must be an array of conversations", null);
      }
    }
    final JsonToken token = parser.nextToken();
    if (token == JsonToken.END_ARRAY) {
      return null;
    }
    final long line = line();
    if (token != JsonToken.START_OBJECT) {
      throw unreadable("must be a conversation, an object", null);
    }
    readConversation();
    final LeftOut reason = ShareGptFilter.reason(turns, turnTokens[0], turnTokens[1], false);
    return reason == null ? TraceRow.of(line, request()) : TraceRow.leftOut(line, 0, reason);
  }

  private WorkloadRequest request() {
    return new WorkloadRequest(
        "sharegpt-" + taken++, 0, turnTokens[0], turnTokens[1], new int[0], 0, null, 0);
  }

  private void readConversation() {
    turns = 0;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      final boolean conversations = "conversations".equals(parser.currentName());
      if (conversations && parser.nextToken() == JsonToken.START_ARRAY) {
        readTurns();
      } else if (!conversations) {
        parser.nextToken();
        parser.skipChildren();
      } else {
        throw unreadable("conversations must be an array", null);
      }
    }
  }

  private void readTurns() {
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw unreadable("a turn must be an object", null);
      }
      int tokens = 0;
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        final boolean value = "value".equals(parser.currentName());
        if (parser.nextToken() == JsonToken.VALUE_STRING && value) {
          tokens = ShareGptFilter.tokens(parser.getString());
        } else {
          parser.skipChildren();
        }
      }
      if (turns < turnTokens.length) {
        turnTokens[turns] = tokens;
      }
      turns++;
    }
  }

  private long line() {
    return parser.currentTokenLocation().getLineNr();
  }

  private TraceFormatException unreadable(String rule, @Nullable Throwable cause) {
    return new TraceFormatException(
        "trace is not readable: file=%s, line=%d; %s".formatted(file, line(), rule), cause);
  }

  @Override
  public void close() {
    parser.close();
  }
}
