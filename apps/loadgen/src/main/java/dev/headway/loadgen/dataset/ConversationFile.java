package dev.headway.loadgen.dataset;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.WorkloadRequest;
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

  private static final int CHARACTERS_PER_TOKEN = 4;
  private static final int LEAST_TOKENS = 4;
  private static final int LONGEST_PROMPT = 1_024;
  private static final int LONGEST_TOTAL = 2_048;
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
   * prompt_tokens} and {@code tenant} are read too where they are there.
   *
   * @param limit most requests, -1 for all
   * @param outputTokens of lines that do not say, or null for 128
   * @throws IOException if the file cannot be read or a line is wrong; names the line
   */
  public static List<BenchRequest> readPrompts(
      Path file, long limit, @Nullable Integer outputTokens) throws IOException {
    final List<BenchRequest> requests = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      int number = 0;
      for (String line = in.readLine();
          line != null && (limit < 0 || requests.size() < limit);
          line = in.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        try {
          requests.add(prompt(requests.size(), JSON.readTree(line), outputTokens));
        } catch (JacksonException | IllegalArgumentException e) {
          throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
        }
      }
    }
    return requests;
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
        json.path("prompt_tokens").asInt(tokens(text)),
        json.path("output_tokens").asInt(json.path("output_len").asInt(usual)),
        json.path("tenant").isString() ? json.path("tenant").stringValue() : null);
  }

  /**
   * Reads conversations as {@code vllm bench serve} does: of those with two turns or more the first
   * two, the order drawn anew. Prompts and answers of less than 4 tokens, prompts of more than
   * 1,024 and both together of more than 2,048 are left out.
   *
   * @param limit most requests, -1 for all
   * @param outputTokens of every request, or null for the length of the recorded answer
   * @param seed of the order
   * @throws IOException if the file cannot be read or is no array of conversations
   */
  public static List<BenchRequest> readConversations(
      Path file, long limit, @Nullable Integer outputTokens, long seed) throws IOException {
    final List<String[]> turns = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file);
        JsonParser parser = JSON.createParser(in)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new IOException(file + " must be an array of conversations");
      }
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        final JsonNode json = parser.readValueAsTree();
        final JsonNode all = json.path("conversations");
        if (all.size() >= 2) {
          turns.add(
              new String[] {
                all.path(0).path("value").asString(""), all.path(1).path("value").asString("")
              });
        }
      }
    } catch (JacksonException e) {
      throw new IOException(file + " must be an array of conversations: " + e.getMessage(), e);
    }
    shuffle(turns, seed);
    final List<BenchRequest> requests = new ArrayList<>();
    for (String[] turn : turns) {
      final int input = tokens(turn[0]);
      final int output = outputTokens == null ? tokens(turn[1]) : outputTokens;
      if (isTaken(input, output, outputTokens != null) && (limit < 0 || requests.size() < limit)) {
        requests.add(request("sharegpt-" + requests.size(), turn[0], input, output, null));
      }
    }
    return requests;
  }

  private static boolean isTaken(int input, int output, boolean isFixed) {
    return input >= LEAST_TOKENS
        && (isFixed || output >= LEAST_TOKENS)
        && input <= LONGEST_PROMPT
        && input + output <= LONGEST_TOTAL;
  }

  private static BenchRequest request(
      String id, String text, int input, int output, @Nullable String tenant) {
    return new BenchRequest(
        new WorkloadRequest(id, 0, input, output, NO_BLOCKS, 0, tenant, 0), new Prompt.Text(text));
  }

  private static int tokens(String text) {
    return Math.ceilDiv(text.length(), CHARACTERS_PER_TOKEN);
  }

  private static void shuffle(List<String[]> list, long seed) {
    final RandomStream random = RandomStream.of(seed, "order");
    for (int i = list.size() - 1; i > 0; i--) {
      final int other = random.nextInt(i + 1);
      final String[] moved = list.get(i);
      list.set(i, list.get(other));
      list.set(other, moved);
    }
  }
}
