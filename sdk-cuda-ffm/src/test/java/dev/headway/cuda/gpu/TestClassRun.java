package dev.headway.cuda.gpu;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of a class that have the tag {@code gpu}. A JVM for each: an error that loses the
 * context of a real device stays with the process. Prints a line of CSV: class, tests, failed,
 * skipped, milliseconds. Exit status 1 if a test failed, 2 if there was none.
 */
final class TestClassRun {
  private TestClassRun() {}

  public static void main(String[] args) {
    final LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(args[0]))
            .filters(TagFilter.includeTags("gpu"))
            .build();
    final SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    final TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.err, true), 20);
    final long skipped =
        summary.getTestsSkippedCount()
            + summary.getTestsAbortedCount()
            + summary.getContainersSkippedCount();
    System.out.printf(
        "%s,%d,%d,%d,%d%n",
        args[0],
        summary.getTestsFoundCount(),
        summary.getTotalFailureCount(),
        skipped,
        summary.getTimeFinished() - summary.getTimeStarted());
    System.exit(summary.getTotalFailureCount() > 0 ? 1 : summary.getTestsFoundCount() == 0 ? 2 : 0);
  }
}
