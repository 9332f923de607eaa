package dev.headway.cli.command;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Beside {@code @Option} of a number, or of several: the values that it may have. Others are
 * refused before the command runs, with the option, the value and the range.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface InRange {

  /** The least value. */
  double from() default Double.NEGATIVE_INFINITY;

  /** The largest value. */
  double to() default Double.POSITIVE_INFINITY;

  /** Whether {@link #from} itself is too little. */
  boolean above() default false;

  /** Whether {@link #to} itself is too much. */
  boolean below() default false;
}
