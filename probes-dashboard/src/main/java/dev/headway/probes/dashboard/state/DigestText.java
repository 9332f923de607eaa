package dev.headway.probes.dashboard.state;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Ingress;
import dev.headway.events.reason.WaitPhrases;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;

/** Where the time of a request went, in sentences. */
public final class DigestText {

  private static final int WAITS_TOLD = 5;

  private DigestText() {}

  /** One sentence per thing that took time, in the order of its life. */
  public static List<String> sentences(RequestDigest request) {
    final List<String> sentences = new ArrayList<>();
    if (request.ingressNs() > 0) {
      sentences.add(
          Human.duration(request.ingressNs()) + " before the queue: " + ingress(request.ingress()));
    }
    request.waits().stream()
        .limit(WAITS_TOLD)
        .forEach(
            wait ->
                sentences.add(
                    Human.duration(wait.ns())
                        + " waiting"
                        + (wait.reason().equals(wait.root())
                            ? ": "
                            : " behind a request ahead, which waited for ")
                        + wait.root()
                        + " ("
                        + WaitPhrases.meaning(wait.root())
                        + ")"));
    if (request.stayNs() > 0) {
      sentences.add(
          Human.duration(request.stayNs())
              + " in the queue so far"
              + (request.waitsFor() == null ? "" : ", now for " + request.waitsFor())
              + (request.blocker() == null ? "" : ", behind " + request.blocker()));
    }
    if (request.preemptions() > 0) {
      sentences.add(
          "preempted "
              + (request.preemptions() == 1 ? "once" : request.preemptions() + " times")
              + ", "
              + Human.count(request.recomputedTokens())
              + " tokens computed again");
    }
    if (request.ttftNs() != ABSENT) {
      sentences.add(
          "first token "
              + Human.duration(request.ttftNs())
              + " after its arrival"
              + (request.cachedTokens() > 0
                  ? "; "
                      + Human.count(request.cachedTokens())
                      + " of "
                      + Human.count(request.promptTokens())
                      + " prompt tokens found in the prefix cache"
                  : ""));
    }
    if (request.finishReason() != null) {
      sentences.add(
          "ended after "
              + Human.duration(request.ageNs())
              + " ("
              + request.finishReason()
              + "), "
              + Human.count(request.outputTokens())
              + " tokens"
              + (request.tpotNs() == ABSENT
                  ? ""
                  : ", " + Human.duration(request.tpotNs()) + " per token"));
    }
    return sentences;
  }

  private static String ingress(Ingress ingress) {
    return Ingress.STEP_IN_PROGRESS.equals(ingress.reason())
        ? "iteration " + Human.count(ingress.stepId() - 1) + " was in progress"
        : "the engine was idle and had to wake up";
  }
}
