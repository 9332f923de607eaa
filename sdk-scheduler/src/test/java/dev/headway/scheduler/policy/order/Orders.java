package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleCandidates;
import dev.headway.testkit.policy.SampleStep;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Shared by the tests of this package: requests, and the order in which they come. */
final class Orders {

  private Orders() {}

  /** A step with nobody running at one second. */
  static SampleStep.Builder step() {
    return SampleStep.of(PolicyContract.CONFIG, 16, 64).nowNs(1_000_000_000);
  }

  /** A request whose prompt is one token repeated. */
  static Request.Builder asking(long number, int token, int promptTokens) {
    final int[] prompt = new int[promptTokens];
    Arrays.fill(prompt, token);
    return Request.builder("r" + number, prompt).maxTokens(10);
  }

  /** Numbers of the requests, the first one to be considered first. */
  static List<Long> ranked(StaticOrder order, FakeRequest... requests) {
    return Arrays.stream(requests)
        .sorted(
            Comparator.comparingDouble((FakeRequest request) -> order.key(request))
                .thenComparing(FakeRequest::number))
        .map(FakeRequest::number)
        .toList();
  }

  /** Numbers of the requests, the first one to be considered first. */
  static List<Long> ranked(GroupOrder order, FakeRequest... requests) {
    final StaticOrder now = request -> order.score(order.group(request));
    return ranked(now, requests);
  }

  /** Numbers of the requests, the first one to be considered first. */
  static List<Long> ranked(DynamicOrder order, SampleStep step, FakeRequest... requests) {
    final double[] scores = new double[requests.length];
    order.score(SampleCandidates.of(requests), scores, step);
    return IntStream.range(0, requests.length)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer index) -> scores[index]))
        .map(index -> requests[index].number())
        .toList();
  }
}
