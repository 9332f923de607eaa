package dev.headway.cli.journal;

import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.report.explain.Explanation;
import dev.headway.report.explain.JournalExplainer;
import dev.headway.report.explain.RequestSelector;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway explain}: one request in words, from arrival to end. */
@Command(
    name = "explain",
    header = "Explains one request, from arrival to end, from a journal.",
    description = {
      "",
      "Prints when the request arrived, what it waited for and what blocked it, what was"
          + " computed when, every preemption and what it cost, its end, and an account of its"
          + " time that adds up to the nanosecond.",
      "",
      "The id that a client of headway serve sent as x-request-id will do: the journal has it"
          + " behind cmpl- or chatcmpl-.",
      "",
      "A request of headway serve with several answers (n > 1, or several prompts) has an id for"
          + " each: what the client sees, with -0, -1 and so on behind it.",
      "",
      "Without a request, lists the five that took longest.",
      ""
    },
    exitCodeList = {
      "0:Explained.",
      "1:Failed, or there is no such request; the message names the closest ids.",
      "2:The command line is wrong.",
      "3:Explained, but the journal is cut or damaged, or records were dropped; what came later is"
          + " not in it."
    },
    footer = {
      "  headway explain journal/",
      "  headway explain journal/ --longest-wait 10",
      "  headway explain journal/ --request chat-17",
      "  headway explain journal/ --request chat-17 --json"
    })
public final class ExplainCommand extends JournalCommand {

  private static final int SLOWEST = 5;

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @ArgGroup(multiplicity = "0..1")
  private Question question = new Question();

  @InRange(from = 0)
  @Option(
      names = "--run",
      paramLabel = "N",
      description =
          "Run of the journal: 0 is its first directory, run-000001 (all; for --request the latest"
              + " that has it).")
  private @Nullable Integer run;

  @InRange(from = 0)
  @Option(
      names = "--number",
      paramLabel = "N",
      description =
          "With --request: the request's number in its run, if its id was used more than once.")
  private @Nullable Long number;

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean json;

  /** What is asked; without any, the slowest few are listed. */
  static final class Question {
    @Option(names = "--request", paramLabel = "ID", description = "Explain this request.")
    private @Nullable String request;

    @InRange(from = 1)
    @Option(
        names = "--slowest",
        paramLabel = "K",
        description = "List the K requests that took longest from arrival to end.")
    private @Nullable Integer slowest;

    @InRange(from = 1)
    @Option(
        names = "--longest-wait",
        paramLabel = "K",
        description = "List the K requests that spent most time in the queue.")
    private @Nullable Integer longestWait;
  }

  @Override
  int run() throws IOException {
    checkOptions();
    return switch (answer()) {
      case Explanation.Answer answer -> print(answer);
      case Explanation.Unknown unknown -> report(unknown);
    };
  }

  private Explanation answer() throws IOException {
    final JournalExplainer explainer = new JournalExplainer(journal);
    final int wantedRun = run == null ? RequestSelector.LATEST : run;
    if (question.request != null) {
      final long wantedNumber = number == null ? RequestSelector.LATEST : number;
      return explainer.explain(new RequestSelector(question.request, wantedRun, wantedNumber));
    }
    if (question.longestWait != null) {
      return explainer.longestWait(question.longestWait, wantedRun);
    }
    return explainer.slowest(question.slowest == null ? SLOWEST : question.slowest, wantedRun);
  }

  private void checkOptions() {
    if (number != null && question.request == null) {
      throw messages.wrong("--number needs --request");
    }
  }

  private int print(Explanation.Answer answer) {
    messages.print(json ? answer.json() : answer.text());
    return ended(answer.end());
  }

  private int report(Explanation.Unknown unknown) {
    messages.say(unknown.message());
    if (!unknown.closest().isEmpty()) {
      messages.say("the closest ids: " + String.join(", ", unknown.closest()));
    }
    return ExitCode.FAILED;
  }
}
