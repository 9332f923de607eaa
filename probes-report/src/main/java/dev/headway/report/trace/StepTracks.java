package dev.headway.report.trace;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepTimeline;
import java.util.Arrays;

/**
 * Steps with their parts, and the counters. Steps that overlap are on separate tracks: each on the
 * first one that is free.
 */
final class StepTracks {

  private final TraceFile file;
  private final long pid;
  private final int usableBlocks;
  private long[] busyUntilNs = new long[0];

  StepTracks(TraceFile file, long pid, int usableBlocks) {
    this.file = file;
    this.pid = pid;
    this.usableBlocks = usableBlocks;
  }

  void planned(StepTimeline step) {
    final long atNs = step.plan().endNs();
    counter("requests running", atNs, "running", step.plan().runningCount());
    counter("requests waiting", atNs, "waiting", step.plan().waitingCount());
    counter("KV blocks used", atNs, "used", usableBlocks - step.plan().freeBlocks());
    file.counter(
        "tokens per step",
        pid,
        atNs,
        new TraceFile.Arguments()
            .put("prefill", step.plan().prefillTokens())
            .put("decode", step.plan().decodeTokens()));
  }

  void completed(StepTimeline step) {
    final long endNs = step.endNs() == ABSENT ? step.plan().endNs() : step.endNs();
    final long tid = trackFor(step.plan().beginNs(), endNs);
    final String failure = step.failure();
    final TraceFile.Arguments arguments =
        new TraceFile.Arguments()
            .put("step", step.plan().stepId())
            .put("requests", step.plan().batchSize())
            .put("prefill_requests", step.plan().prefillRequests())
            .put("tokens", step.plan().totalTokens())
            .put("prefill_tokens", step.plan().prefillTokens())
            .put("running", step.plan().runningCount())
            .put("waiting", step.plan().waitingCount())
            .put("free_blocks", step.plan().freeBlocks())
            .put("admitted", step.changes().admitted().size())
            .put("preempted", step.changes().preempted().size())
            .put("failure", failure);
    file.slice(
        pid,
        tid,
        step.plan().batchSize() == 0 ? "step (empty)" : "step",
        failure == null ? null : "terrible",
        step.plan().beginNs(),
        endNs,
        arguments);
    part(tid, "schedule", "yellow", step.plan().beginNs(), step.plan().endNs(), endNs);
    if (step.submitNs() != ABSENT && step.outputNs() != ABSENT) {
      execution(step, tid, endNs);
    }
    if (step.outputNs() != ABSENT) {
      part(tid, "update", "olive", step.outputNs(), endNs, endNs);
    }
  }

  /** The executor gives durations without instants: they are laid one after the other. */
  private void execution(StepTimeline step, long tid, long endNs) {
    final long outputNs = step.outputNs();
    long atNs = step.submitNs();
    if (step.timedForwardNs() == ABSENT) {
      part(tid, "forward", "thread_state_running", atNs, outputNs, endNs);
      return;
    }
    final String[] names = {"prepare", "forward", "sample"};
    final String[] colors = {"rail_load", "thread_state_running", "good"};
    final long[] lengthsNs = {step.prepareNs(), step.timedForwardNs(), step.sampleNs()};
    for (int i = 0; i < names.length; i++) {
      if (lengthsNs[i] != ABSENT && lengthsNs[i] >= 0) {
        final long toNs = Math.min(outputNs, atNs + lengthsNs[i]);
        part(tid, names[i], colors[i], atNs, toNs, endNs);
        atNs = Math.max(atNs, toNs);
      }
    }
  }

  private void part(long tid, String name, String color, long fromNs, long toNs, long endNs) {
    if (fromNs <= toNs && toNs <= endNs) {
      file.slice(pid, tid, name, color, fromNs, toNs, new TraceFile.Arguments());
    }
  }

  private void counter(String name, long atNs, String series, long value) {
    file.counter(name, pid, atNs, new TraceFile.Arguments().put(series, value));
  }

  private long trackFor(long beginNs, long endNs) {
    int track = 0;
    while (track < busyUntilNs.length && busyUntilNs[track] > beginNs) {
      track++;
    }
    if (track == busyUntilNs.length) {
      busyUntilNs = Arrays.copyOf(busyUntilNs, track + 1);
      file.name("thread_name", pid, track + 1L, track == 0 ? "steps" : "steps that overlap");
    }
    busyUntilNs[track] = endNs;
    return track + 1L;
  }
}
