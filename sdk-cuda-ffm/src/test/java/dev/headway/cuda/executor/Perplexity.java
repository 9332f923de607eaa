package dev.headway.cuda.executor;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.executor.sampling.Logprobs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Of what follows a prompt in some texts, each token after all before it. */
final class Perplexity {
  private Perplexity() {}

  /** Two that the trained model of the tests goes on with: enough for shares of a hundredth. */
  static List<Golden> texts() {
    return Golden.read(TestModels.stories260K()).subList(0, 2);
  }

  /** Texts go on as they are given; log-probabilities are those of the model all the same. */
  static double of(CudaExecutor executor, SchedulerConfig config, List<Golden> texts) {
    final List<Request> requests = new ArrayList<>();
    for (Golden text : texts) {
      final int[] tokens = text.greedyIds();
      final int first = text.promptIds().length;
      requests.add(
          Request.builder("r" + requests.size(), Arrays.copyOf(tokens, first))
              .forcedTokens(Arrays.copyOfRange(tokens, first, tokens.length))
              .sampling(SamplingParams.GREEDY.toBuilder().logprobs(0).build())
              .build());
    }
    return Math.exp(
        -Generation.of(executor, config, requests).logprobs().stream()
            .flatMap(List::stream)
            .mapToDouble(TokenLogprobs::logprob)
            .average()
            .orElseThrow());
  }

  static double of(ReferenceModel reference, List<Golden> texts) {
    double sum = 0;
    int count = 0;
    for (Golden text : texts) {
      final int[] tokens = text.greedyIds();
      final int first = text.promptIds().length;
      final float[][] logits = reference.logitsFrom(first, tokens);
      for (int next = first; next < tokens.length; next++) {
        sum -= Logprobs.of(logits[next - first], tokens[next], 0).logprob();
        count++;
      }
    }
    return Math.exp(sum / count);
  }
}
