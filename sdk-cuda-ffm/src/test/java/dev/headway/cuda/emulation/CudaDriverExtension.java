package dev.headway.cuda.emulation;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.disabled;
import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

import dev.headway.cuda.driver.CudaLibrary;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Puts the fake driver where {@link CudaLibrary} looks, before anything else does. */
final class CudaDriverExtension
    implements ExecutionCondition, BeforeEachCallback, AfterEachCallback {
  private int aliveBefore;

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (System.getProperty(CudaLibrary.PROPERTY) == null) {
      final EmulatorBuild.Outcome outcome = EmulatorBuild.driver();
      if (outcome.library().isEmpty()) {
        return withoutDriver(outcome.problem());
      }
      System.setProperty(CudaLibrary.PROPERTY, outcome.library().get().toString());
    }
    return context
        .getElement()
        .map(element -> element.getAnnotation(EmulatorOnly.class))
        .filter(only -> !Emulator.isActive())
        .map(only -> disabled(SkipReason.EMULATOR_ONLY.words(only.value())))
        .orElseGet(() -> enabled("driver: " + CudaLibrary.library().name()));
  }

  private static ConditionEvaluationResult withoutDriver(String problem) {
    if ("required".equals(System.getProperty("headway.cuda.emulator"))) {
      throw new IllegalStateException(
          problem + ", and -Dheadway.cuda.emulator=required forbids to skip");
    }
    return disabled(SkipReason.NOT_HERE.words(problem));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Emulator.reset();
    aliveBefore = Emulator.isActive() ? Emulator.alive() : 0;
  }

  /** Whatever a test did, it must leave nothing on the device. */
  @Override
  public void afterEach(ExtensionContext context) {
    if (Emulator.isActive() && Emulator.alive() != aliveBefore) {
      throw new IllegalStateException(
          "a test must leave nothing on the device: before="
              + aliveBefore
              + ", after="
              + Emulator.alive());
    }
  }
}
