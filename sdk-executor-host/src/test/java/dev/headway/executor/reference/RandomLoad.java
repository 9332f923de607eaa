package dev.headway.executor.reference;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Requests that leave nothing to chance but the seed: for executors behind the real scheduler. */
public final class RandomLoad {
  private RandomLoad() {}

  /**
   * Prompts that share beginnings, and every way of picking tokens.
   *
   * @param mostOutputs most outputs of a request
   * @param maxModelLen no prompt with its outputs is longer
   */
  public static List<Request> requests(
      Random random, int count, int mostOutputs, int maxModelLen, int vocabularySize) {
    return requests(random, count, mostOutputs, maxModelLen, vocabularySize, List.of());
  }

  /**
   * As the other one.
   *
   * @param adapters of which a request names one, or none
   */
  public static List<Request> requests(
      Random random,
      int count,
      int mostOutputs,
      int maxModelLen,
      int vocabularySize,
      List<LoraAdapter> adapters) {
    final int[] shared = random.ints(maxModelLen, 0, vocabularySize).toArray();
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      final int outputs = 1 + random.nextInt(mostOutputs);
      final int[] prompt = Arrays.copyOf(shared, 1 + random.nextInt(maxModelLen - outputs));
      for (int own = random.nextInt(prompt.length + 1); own < prompt.length; own++) {
        prompt[own] = random.nextInt(vocabularySize);
      }
      final Request.Builder request =
          Request.builder("r" + i, prompt).maxTokens(outputs).sampling(sampling(random));
      if (!adapters.isEmpty() && random.nextInt(3) > 0) {
        request.lora(adapters.get(random.nextInt(adapters.size())));
      }
      requests.add(request.build());
    }
    return requests;
  }

  private static SamplingParams sampling(Random random) {
    final SamplingParams params =
        random.nextInt(3) == 0
            ? SamplingParams.GREEDY
            : SamplingParams.builder()
                .temperature(random.nextFloat() * 2)
                .topP(random.nextBoolean() ? 1 : 1 - random.nextFloat())
                .topK(random.nextInt(3) * 10)
                .minP(random.nextBoolean() ? 0 : random.nextFloat() / 10)
                .repetitionPenalty(random.nextBoolean() ? 1 : 1.3f)
                .presencePenalty(random.nextBoolean() ? 0 : 0.5f)
                .frequencyPenalty(random.nextBoolean() ? 0 : 0.25f)
                .seed(random.nextLong())
                .build();
    final int logprobs = random.nextInt(6) - 1;
    return logprobs < 0 ? params : params.toBuilder().logprobs(logprobs).build();
  }

  /** One of some values. */
  public static <T> T pick(Random random, T[] values) {
    return values[random.nextInt(values.length)];
  }
}
