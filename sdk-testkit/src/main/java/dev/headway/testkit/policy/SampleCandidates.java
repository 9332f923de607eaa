package dev.headway.testkit.policy;

import dev.headway.api.policy.Candidates;
import dev.headway.api.request.RequestView;
import java.util.List;

/**
 * Candidates in memory, for tests of policies.
 *
 * @param requests in the order of arrival; read, not copied
 */
public record SampleCandidates(List<? extends RequestView> requests) implements Candidates {

  /** Returns these requests as candidates. */
  public static SampleCandidates of(RequestView... requests) {
    return new SampleCandidates(List.of(requests));
  }

  @Override
  public int size() {
    return requests.size();
  }

  @Override
  public RequestView request(int index) {
    return requests.get(index);
  }
}
