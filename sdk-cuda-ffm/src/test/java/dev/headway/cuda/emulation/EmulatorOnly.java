package dev.headway.cuda.emulation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test whose subject a real driver does not have; it is skipped there, with its reason. No other
 * test may be skipped on a real driver, see {@link SkipReason}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface EmulatorOnly {
  /** Why a real driver cannot be asked, in words. */
  String value();
}
