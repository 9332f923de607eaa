package dev.headway.cuda.gpu;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.emulation.SkipReason;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of classes that have the tag {@code gpu}, one class after the other. Prints, as
 * soon as a class is done, a line of CSV: {@code class,tests,failed,skipped,milliseconds}, and
 * before it one for each skipped test: {@code #skip,class.method,tests,kind,reason}. Exit status 1
 * if a test failed or was skipped without a reason that {@link SkipReason} knows, 2 if a class has
 * no test. If a class lost CUDA to the process, which no later one could use, the last line is
 * {@code #lost}, and what is left wants a new process.
 */
final class TestClassRun {
  private final PrintStream out;

  private TestClassRun(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] args) {
    final PrintStream out = System.out;
    System.setOut(System.err); // what tests print is no table
    final TestClassRun run = new TestClassRun(out);
    keepTheContext();
    int status = 0;
    for (String name : args) {
      status = Math.max(status, run.run(name));
      if (isLost()) {
        out.println("#lost");
        break;
      }
    }
    out.flush();
    System.exit(status);
  }

  /**
   * Opens the device on a thread that lives as long as the JVM: the primary context stays, which a
   * real driver takes a quarter of a second to make, and tests open it hundreds of times.
   */
  private static void keepTheContext() {
    final CountDownLatch opened = new CountDownLatch(1);
    Thread.ofPlatform()
        .name("keeps the context")
        .daemon()
        .start(
            () -> {
              try {
                CudaDevice.open(0);
              } finally {
                opened.countDown(); // if it cannot be opened, tests say why
              }
              while (true) {
                LockSupport.park(opened);
              }
            });
    try {
      opened.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isLost() {
    try (CudaDevice device = CudaDevice.open(0)) {
      device.synchronize();
      return false;
    } catch (CudaException e) {
      return e.isSticky();
    } catch (CudaUnavailableException e) {
      return false; // there was none before
    }
  }

  private int run(String name) {
    final LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(name))
            .filters(TagFilter.includeTags("gpu"))
            .build();
    final SummaryGeneratingListener summaries = new SummaryGeneratingListener();
    final Skips skips = new Skips();
    LauncherFactory.create().execute(request, summaries, skips);
    final TestExecutionSummary summary = summaries.getSummary();
    summary.printFailuresTo(new PrintWriter(System.err, true), 20);
    skips.lines.forEach(out::println);
    out.printf(
        "%s,%d,%d,%d,%d%n",
        name,
        summary.getTestsFoundCount() + skips.unfound,
        summary.getTotalFailureCount(),
        skips.tests,
        summary.getTimeFinished() - summary.getTimeStarted());
    out.flush();
    return summary.getTotalFailureCount() > 0 || skips.withoutReason > 0
        ? 1
        : summary.getTestsFoundCount() == 0 ? 2 : 0;
  }

  /** Tests that did not run, or not to their end, and why. */
  private static final class Skips implements org.junit.platform.launcher.TestExecutionListener {
    final List<String> lines = new ArrayList<>();
    long tests;
    long withoutReason;
    long unfound; // tests that JUnit had not counted when they were skipped
    private TestPlan plan;

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
      plan = testPlan;
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      final long inside = plan.getDescendants(test).stream().filter(TestIdentifier::isTest).count();
      final boolean isUnfound = !test.isTest() && inside == 0; // a parameterised test as a whole
      unfound += isUnfound ? 1 : 0;
      add(test, isUnfound || test.isTest() ? 1 : inside, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
        add(test, 1, result.getThrowable().map(Throwable::getMessage).orElse(""));
      }
    }

    private void add(TestIdentifier test, long count, String reason) {
      final SkipReason kind = SkipReason.of(reason);
      tests += count;
      if (kind == SkipReason.NONE) {
        withoutReason += count;
        System.err.println("skipped without a reason: " + name(test) + ": " + reason);
      }
      lines.add("#skip," + name(test) + "," + count + "," + kind + ",\"" + reason + "\"");
    }

    private static String name(TestIdentifier test) {
      final TestSource source = test.getSource().orElse(null);
      return source instanceof MethodSource method
          ? method.getClassName() + "." + method.getMethodName()
          : test.getLegacyReportingName();
    }
  }
}
