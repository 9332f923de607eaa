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
    request.waits().stream().limit(WAITS_TOLD).map(DigestText::waited).forEach(sentences::add);
    if (request.stayNs() > 0) {
      sentences.add(stay(request));
    }
    if (request.preemptions() > 0) {
      sentences.add(preemptions(request));
    }
    if (request.ttftNs() != ABSENT) {
      sentences.add(firstToken(request));
    }
    if (request.finishReason() != null) {
      sentences.add(end(request));
    }
    return sentences;
  }

  private static String waited(RequestDigest.Wait wait) {
    final boolean own = wait.reason().equals(wait.root());
    return Human.duration(wait.ns())
        + " waiting"
        + (own ? ": " : " behind a request ahead, which waited for ")
        + wait.root()
        + " ("
        + WaitPhrases.meaning(wait.root())
        + ")";
  }

  private static String stay(RequestDigest request) {
    return Human.duration(request.stayNs())
        + " in the queue so far"
        + (request.waitsFor() == null ? "" : ", now for " + request.waitsFor())
        + (request.blocker() == null ? "" : ", behind " + request.blocker());
  }

  private static String preemptions(RequestDigest request) {
    return "preempted "
        + (request.preemptions() == 1 ? "once" : request.preemptions() + " times")
        + ", "
        + Human.count(request.recomputedTokens())
        + " tokens computed again";
  }

  private static String firstToken(RequestDigest request) {
    final String cached =
        "; "
            + Human.count(request.cachedTokens())
            + " of "
            + Human.count(request.promptTokens())
            + " prompt tokens found in the prefix cache";
    return "first token "
        + Human.duration(request.ttftNs())
        + " after its arrival"
        + (request.cachedTokens() > 0 ? cached : "");
  }

  private static String end(RequestDigest request) {
    return "ended after "
        + Human.duration(request.ageNs())
        + " ("
        + request.finishReason()
        + "), "
        + Human.count(request.outputTokens())
        + " tokens"
        + (request.tpotNs() == ABSENT
            ? ""
            : ", " + Human.duration(request.tpotNs()) + " per token");
  }

  private static String ingress(Ingress ingress) {
    return Ingress.STEP_IN_PROGRESS.equals(ingress.reason())
        ? "iteration " + Human.count(ingress.stepId() - 1) + " was in progress"
        : "the engine was idle and had to wake up";
  }
}
