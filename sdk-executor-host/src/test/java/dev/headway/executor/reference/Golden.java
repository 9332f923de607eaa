package dev.headway.executor.reference;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A greedy continuation that transformers made on a CPU in float32.
 *
 * @param greedyIds prompt and continuation
 * @param topIds the five tokens with the largest logits after the prompt
 */
public record Golden(
    String prompt, int[] promptIds, int[] greedyIds, int[] topIds, float[] topLogits) {

  /** Reads the cases of a model folder. */
  public static List<Golden> read(Path directory) {
    final JsonNode root =
        new JsonMapper().readTree(directory.resolve("golden_greedy.json").toFile());
    final List<Golden> cases = new ArrayList<>();
    for (JsonNode node : root.get("cases")) {
      final JsonNode top = node.get("last_prompt_logits_top5");
      final int[] topIds = new int[top.size()];
      final float[] topLogits = new float[top.size()];
      for (int i = 0; i < topIds.length; i++) {
        topIds[i] = top.get(i).get(0).intValue();
        topLogits[i] = top.get(i).get(1).floatValue();
      }
      cases.add(
          new Golden(
              node.get("prompt").stringValue(),
              ints(node.get("prompt_ids")),
              ints(node.get("greedy_ids")),
              topIds,
              topLogits));
    }
    return cases;
  }

  private static int[] ints(JsonNode array) {
    return array.valueStream().mapToInt(JsonNode::intValue).toArray();
  }

  /** Tokens of the continuation. */
  public int outputs() {
    return greedyIds.length - promptIds.length;
  }
}
