package dev.headway.report.html.page;

import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.text.Human;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where the figures come from and what they mean. */
final class Appendix {

  private static final long NS_PER_S = 1_000_000_000L;

  private static final List<List<String>> DEFINITIONS =
      List.of(
          List.of("arrival", "The caller submitted the request."),
          List.of("queued", "The request entered the waiting queue."),
          List.of("admitted", "End of scheduling of the step that gave it a seat."),
          List.of("first token", "The output with its first token was available."),
          List.of("TTFT", "From arrival to first token."),
          List.of(
              "TPOT",
              "(last token − first token) / (output tokens − 1), rounded down; absent for fewer than two tokens."),
          List.of(
              "ITL",
              "From a token to the next of the same request, waits after preemptions included; tokens of one step share an instant."),
          List.of("E2E", "From arrival to the end, however it ended."),
          List.of(
              "before the queue",
              "From arrival to queued: until the engine takes the request over, between two steps, and longer if its submitter was late."),
          List.of(
              "time waiting",
              "From queued, or from a preemption, to the next admission or the end, summed. Every nanosecond has exactly one reason: the one the scheduler gave when it last decided."),
          List.of("waiting: initial_waiting", "From queued to the first decision after it."),
          List.of(
              "reason in front (root)",
              "The reason itself; for head_of_line the reason of the request that the scheduler named as blocker."),
          List.of("schedule_duration", "From the begin to the end of scheduling a step."),
          List.of(
              "model_run_duration",
              "From the hand-over to the executor until its output is available, per step."),
          List.of("step", "From the begin of scheduling until the output is taken over."),
          List.of("forward", "As the executor timed it; else the model run."),
          List.of(
              "idle",
              "Sum of the times from an output to the next hand-over, overlaps as 0, over the time from the first hand-over to the last output."),
          List.of("scheduling share", "Sum of schedule_duration over sum of step."),
          List.of(
              "prefill request",
              "One that is not decoding: computed < known − 1 before the step, or without output. A decode request is any other."),
          List.of(
              "recomputed tokens",
              "Tokens computed that the same request had computed before a preemption."),
          List.of(
              "KV cache in use",
              "Blocks not free after the decision, over the blocks that requests can hold. Means over the steps count each step once; the summary of demo and replay averages over busy time, where long steps count more."),
          List.of(
              "held slots without a token",
              "1 − context tokens / (held blocks · tokens per block), over all entries of all steps; a shared block counts once for each holder."),
          List.of(
              "service",
              "Tokens computed for a tenant, prompt and output, recomputed ones included."),
          List.of("Jain's index", "(Σx)² / (n · Σx²)."),
          List.of("starvation", "Longest uninterrupted stay in the queue."),
          List.of(
              "goodput",
              "Requests that ended as asked (stop, length, repetition), made a token and met every limit given, per second from first step to last output; their share is of all that ended or were rejected. Without limits: TTFT within the request's own target, of those that ended and had one. Requests alive at the end of the journal are not judged."),
          List.of(
              "ahead, queue position",
              "Requests that entered the queue earlier and wait, whatever the policy takes first. From queueing to the first admission."),
          List.of(
              "p50, p95, p99",
              "Quantiles by linear interpolation; exact up to 32,768 values, to 0.1 % beyond."),
          List.of(
              "significant?",
              "The 95 % interval of a moving-block bootstrap (400 draws, blocks of √n neighbours, at most 4,096 values per run, evenly apart) leaves out 0. The figures themselves are of all values."));

  private Appendix() {}

  static void write(Markup out, ReportFigures run, JournalEnd end, String journal) {
    final RunStartedRecord header = run.header();
    Section.open(out, "appendix", "Appendix");
    out.open("div", "class", "pair").open("div").element("h3", "Where it comes from");
    final List<List<String>> origin = new ArrayList<>();
    origin.add(List.of("Journal", journal));
    origin.add(List.of("Run", Integer.toString(run.index())));
    origin.add(List.of("Records read", Human.count(end.records())));
    origin.add(List.of("How the journal ends", end.state().label()));
    origin.add(List.of("Written by Headway", header.headwayVersion()));
    origin.add(List.of("Schema", Integer.toString(header.schemaVersion())));
    origin.add(List.of("Level", header.level()));
    origin.add(List.of("Time", header.virtualTime() ? "simulated" : "real"));
    if (!header.virtualTime()) {
      origin.add(
          List.of(
              "Clock anchor",
              Instant.ofEpochSecond(
                      Math.floorDiv(header.anchorUnixEpochNs(), NS_PER_S),
                      Math.floorMod(header.anchorUnixEpochNs(), NS_PER_S))
                  + " ± "
                  + Human.duration(header.anchorErrorNs())));
    }
    Section.table(out, List.of("", "figure"), origin);
    out.close("div").open("div").element("h3", "Configuration");
    final List<List<String>> settings = new ArrayList<>();
    for (Map.Entry<String, String> setting : header.config().entrySet()) {
      settings.add(List.of(setting.getKey(), setting.getValue()));
    }
    settings.add(List.of("KV blocks", Human.count(header.numBlocks())));
    settings.add(List.of("tokens per KV block", Human.count(header.blockSize())));
    for (Map.Entry<String, String> attribute : header.attributes().entrySet()) {
      settings.add(List.of(attribute.getKey(), attribute.getValue()));
    }
    Section.table(out, List.of("setting", "value"), settings);
    out.close("div").close("div");
    out.element("h3", "What the words mean");
    Section.table(out, List.of("word", "definition"), DEFINITIONS);
    Section.note(
        out,
        "The same figures, row by row: headway convert JOURNAL -o DIR. Charts by uPlot 1.6.32,"
            + " © 2022 Leon Sorokin, MIT licence.");
    Section.close(out);
  }
}
