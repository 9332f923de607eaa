package dev.headway.loadgen.dataset;

import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.LeftOut;
import dev.headway.simulation.workload.LeftOutRows;
import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.ShareGptFilter;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.toolbox.csv.WholeNumber;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Data sets that hold texts: ShareGPT's conversations, and JSON lines with prompts. Lengths in
 * tokens are taken as a quarter of those in characters where the file does not have them, since
 * there is no tokenizer here. Stateless.
 */
public final class ConversationFile {

  private static final int USUAL_OUTPUT = 128;
  private static final int[] NO_BLOCKS = {};
  private static final JsonMapper JSON = JsonMapper.shared();

  private ConversationFile() {}

  /** Whether a file begins like JSON lines with prompts. */
  public static boolean hasPrompts(Path file) throws IOException {
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      final String first = in.readLine();
      return first != null && first.startsWith("{") && JSON.readTree(first).has("prompt");
    } catch (JacksonException | java.nio.charset.CharacterCodingException e) {
      return false;
    }
  }

  /** Whether a file begins like an array of conversations. */
  public static boolean hasConversations(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      int next = in.read();
      while (next == ' ' || next == '\n' || next == '\r' || next == '\t') {
        next = in.read();
      }
      return next == '[';
    }
  }

  /**
   * Reads lines of {@code {"prompt": ..., "output_tokens": ...}}; {@code output_len}, {@code
   * prompt_tokens} and {@code tenant} are read too where they are there. Failed requests, of 0
   * tokens either way, are left out and counted.
   *
   * @param load its source, and most requests
   * @param outputTokens of lines that do not say, or null for 128
   * @throws IOException if the file cannot be read or a line is wrong; names the line
   * @throws dev.headway.simulation.workload.TraceFormatException if none is left, or the load is
   *     strict and one was left out
   */
  public static List<BenchRequest> readPrompts(Load load, @Nullable Integer outputTokens)
      throws IOException {
    final Path file = Path.of(load.source());
    final List<BenchRequest> requests = new ArrayList<>();
    final LeftOutRows counted = new LeftOutRows(file.toString());
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      int number = 0;
      for (String line = in.readLine();
          line != null && (load.limit() < 0 || requests.size() < load.limit());
          line = in.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        try {
          final JsonNode json = JSON.readTree(line);
          final LeftOut failed = failed(json);
          if (failed == null) {
            counted.taken();
            requests.add(prompt(requests.size(), json, outputTokens));
          } else {
            counted.leftOut(number, failed);
          }
        } catch (JacksonException | IllegalArgumentException e) {
          throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
        }
      }
    }
    load.requireGood(counted.adjustments(), !requests.isEmpty());
    return requests;
  }

  private static @Nullable LeftOut failed(JsonNode json) {
    if (whole(json, "prompt_tokens", 1) == 0) {
      return LeftOut.NO_INPUT;
    }
    return whole(json, "output_tokens", whole(json, "output_len", 1)) == 0
        ? LeftOut.NO_OUTPUT
        : null;
  }

  private static BenchRequest prompt(int index, JsonNode json, @Nullable Integer outputTokens) {
    final String text = json.path("prompt").asString("");
    if (text.isEmpty()) {
      throw new IllegalArgumentException("a request must have a prompt, a text: " + json);
    }
    final int usual = outputTokens == null ? USUAL_OUTPUT : outputTokens;
    return request(
        "prompt-" + index,
        text,
        whole(json, "prompt_tokens", ShareGptFilter.tokens(text)),
        whole(json, "output_tokens", whole(json, "output_len", usual)),
        json.path("tenant").isString() ? json.path("tenant").stringValue() : null);
  }

  private static int whole(JsonNode json, String name, int usual) {
    if (!json.hasNonNull(name)) {
      return usual;
    }
    try {
      return WholeNumber.parseInt(json.path(name).asString(""));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " " + e.getMessage(), e);
    }
  }

  /**
   * Reads conversations as {@code vllm bench serve} does: of those with two turns or more the first
   * two, the order drawn anew. Those that {@link ShareGptFilter} drops are left out and counted.
   *
   * @param load its source, and most requests
   * @param outputTokens of every request, or null for the length of the recorded answer
   * @param seed of the order
   * @throws IOException if the file cannot be read or is no array of conversations
   * @throws dev.headway.simulation.workload.TraceFormatException if none is left, or the load is
   *     strict and one was left out
   */
  public static List<BenchRequest> readConversations(
      Load load, @Nullable Integer outputTokens, long seed) throws IOException {
    final Path file = Path.of(load.source());
    final List<Conversation> all = conversations(file);
    shuffle(all, seed);
    final List<BenchRequest> requests = new ArrayList<>();
    final LeftOutRows counted = new LeftOutRows(file.toString());
    for (Conversation next : all) {
      if (load.limit() >= 0 && requests.size() == load.limit()) {
        break;
      }
      final int input = ShareGptFilter.tokens(next.prompt);
      final int output = outputTokens == null ? ShareGptFilter.tokens(next.answer) : outputTokens;
      final LeftOut reason = ShareGptFilter.reason(next.turns, input, output, outputTokens != null);
      if (reason == null) {
        counted.taken();
        requests.add(request("sharegpt-" + requests.size(), next.prompt, input, output, null));
      } else {
        counted.leftOut(next.line, reason);
      }
    }
    load.requireGood(counted.adjustments(), !requests.isEmpty());
    return requests;
  }

  /** A conversation of a file: its first two turns, and how many it has. */
  private record Conversation(long line, int turns, String prompt, String answer) {}

  private static List<Conversation> conversations(Path file) throws IOException {
    final List<Conversation> conversations = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file);
        JsonParser parser = JSON.createParser(in)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new IOException(file + " must be an array of conversations");
      }
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        final long line = parser.currentTokenLocation().getLineNr();
        final JsonNode conversation = parser.readValueAsTree();
        final JsonNode turns = conversation.path("conversations");
        conversations.add(
            new Conversation(
                line,
                turns.size(),
                turns.path(0).path("value").asString(""),
                turns.path(1).path("value").asString("")));
      }
    } catch (JacksonException e) {
      throw new IOException(file + " must be an array of conversations: " + e.getMessage(), e);
    }
    return conversations;
  }

  private static BenchRequest request(
      String id, String text, int input, int output, @Nullable String tenant) {
    return new BenchRequest(
        new WorkloadRequest(id, 0, input, output, NO_BLOCKS, 0, tenant, 0), new Prompt.Text(text));
  }

  private static void shuffle(List<Conversation> list, long seed) {
    final RandomStream random = RandomStream.of(seed, "order");
    for (int i = list.size() - 1; i > 0; i--) {
      final int other = random.nextInt(i + 1);
      final Conversation moved = list.get(i);
      list.set(i, list.get(other));
      list.set(other, moved);
    }
  }
}
