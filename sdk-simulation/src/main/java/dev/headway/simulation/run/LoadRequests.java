package dev.headway.simulation.run;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.simulation.workload.WorkloadRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Requests of an engine from those of a load. Adapters are numbered from 1 in the order in which
 * they are first asked for. Memory: a name per adapter. One thread.
 */
public final class LoadRequests {

  private final Map<String, LoraAdapter> adapters = new HashMap<>();

  /** Starts without adapters. */
  public LoadRequests() {}

  /**
   * The request of a row, all that the load says of it set; the abort is the caller's.
   *
   * @param prompt its tokens, as many as the row says; kept, not copied
   * @return a new builder
   */
  public Request.Builder of(WorkloadRequest row, int[] prompt) {
    final Request.Builder request =
        Request.builder(row.requestId(), prompt)
            .stopRule(StopRule.maxTokens(row.outputTokens()))
            .priority(row.priority());
    if (row.tenant() != null) {
      request.tenant(row.tenant());
    }
    if (row.adapter() != null) {
      request.lora(
          adapters.computeIfAbsent(
              row.adapter(), name -> new LoraAdapter(adapters.size() + 1, name)));
    }
    if (row.ttftTargetNs() != WorkloadRequest.NO_TARGET) {
      request.ttftTarget(Duration.ofNanos(row.ttftTargetNs()));
    }
    return request;
  }
}
