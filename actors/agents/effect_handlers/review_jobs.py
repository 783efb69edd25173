"""The job that finds the changes of a review."""

import asyncio
from functools import partial
from pathlib import Path

from actors.agents.turn.self_messages import ReviewPrepared
from actors.permissions.bulk_read_check import can_read
from actors.runtime.actor import JobFailure
from messages.policy import FileReadPolicy
from messages.reviews import ReviewTarget


async def prepare_review(
    review_id: str, target: ReviewTarget, root: Path, read_policy: FileReadPolicy | None
) -> ReviewPrepared:
    """Find the changes, on a thread because git may take seconds."""
    return await asyncio.to_thread(_prepare, review_id, target, root, read_policy)


def to_review_failed(review_id: str, failure: JobFailure) -> ReviewPrepared:
    """Return the outcome of a job that was cancelled or raised."""
    return ReviewPrepared(id=review_id, failure="failed", detail=failure.detail)


def _prepare(
    review_id: str, target: ReviewTarget, root: Path, read_policy: FileReadPolicy | None
) -> ReviewPrepared:
    # Imported here: only a review needs git.
    from actors.agents.kinds.review_changes import (  # noqa: PLC0415
        InvalidTargetError,
        NothingToReviewError,
        build_review_prompt,
    )
    from actors.paths.safe_git import GitError  # noqa: PLC0415

    is_readable = partial(can_read, read_policy=read_policy) if read_policy else _deny
    try:
        prompt = build_review_prompt(target, root, is_readable)
    except NothingToReviewError as error:
        return ReviewPrepared(id=review_id, failure="nothing_to_review", detail=str(error))
    except InvalidTargetError as error:
        return ReviewPrepared(id=review_id, failure="invalid_target", detail=str(error))
    except GitError as error:
        return ReviewPrepared(id=review_id, failure="failed", detail=str(error))
    return ReviewPrepared(id=review_id, prompt=prompt)


def _deny(_path: str) -> bool:
    return False
