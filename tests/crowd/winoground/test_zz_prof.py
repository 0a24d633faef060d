import time, cProfile, pstats
import pytest
from random import Random
from crowd.winoground.domain import PLACES, VALIDATE, YES
from crowd.winoground.models import *
from crowd.winoground.models import Pairing
from hits.models import Item, Lease
from scoring.models import Score
from tests.crowd.winoground import making_scores as m
from tests.factories import *
from django.db import connection
pytestmark = pytest.mark.django_db
def test_it(client):
    project = m.make_project(); m.sign_in(client, project.study)
    author=make_user(); a,b=make_picture(),make_picture(); r=Random(1)
    tags=[Tag.objects.get_or_create(name=f"tag {i}")[0] for i in range(70)]
    N=3000
    ex=Example.objects.bulk_create([Example(project=project,number=i+1,author=author,state="asked",caption_0=f"a bird {i} above "+"the "*(i%7)+"boat",caption_1=f"a boat {i} above a bird",image_0=a,image_1=b,swap="object",predicates=1,created_at=NOW,changed_at=NOW,asked_at=NOW) for i in range(N)])
    Example.tags.through.objects.bulk_create([Example.tags.through(example_id=e.pk,tag_id=tags[(i+k)%70].pk) for i,e in enumerate(ex) for k in (0,11)])
    items=Item.objects.bulk_create([Item(study=project.study,task=VALIDATE,wanted=5) for _ in range(4*N)])
    pair=Pairing.objects.bulk_create([Pairing(example=e,caption=c,image=i,item=items[4*n+k]) for n,e in enumerate(ex) for k,(c,i) in enumerate(PLACES)])
    voters=m.make_voters(project,5)
    Lease.objects.bulk_create([Lease(assignment=v,worker=v.worker,item=it,status="answered",leased_at=NOW,ended_at=NOW) for v in voters for it in items],batch_size=2000)
    Score.objects.bulk_create([Score(assignment=v,item=it,measure=YES,numerator=r.random()<.6,denominator=1,scored_at=NOW) for v in voters for it in items],batch_size=2000)
    for name in ("m1","m2","m3"):
        ms=ModelScores.objects.create(project=project,name=name,added_at=NOW)
        ModelScore.objects.bulk_create([ModelScore(scores=ms,pairing=p,value=r.random()) for p in pair],batch_size=2000)
    if connection.vendor=="postgresql":
        with connection.cursor() as c: c.execute("analyze")
    base=f"/admin/winoground/project/{project.pk}"
    for path in ("/results/","/results/examples/","/results/scores.csv","/change/","/ask/"):
        t=time.time(); resp=client.get(base+path); 
        if resp.streaming: b"".join(resp.streaming_content)
        print(path,resp.status_code,round(time.time()-t,2))
    p=cProfile.Profile(); p.enable(); client.get(base+"/results/"); p.disable()
    pstats.Stats(p).sort_stats("cumtime").print_stats(35)
    from crowd.winoground.queries.people import one_of_each_example
    from hits.services.working import items_for
    batch=make_batch(study=project.study,task=VALIDATE,status="open",items_per_assignment=10)
    w=make_worker(account=batch.account)
    # worker who has seen 2000 examples
    h=make_hit(batch=batch); wk=make_assignment(hit=h,worker=w)
    Lease.objects.bulk_create([Lease(assignment=wk,worker=w,item=items[4*n],status="answered",leased_at=NOW,ended_at=NOW) for n in range(2000)],batch_size=2000)
    if connection.vendor=="postgresql":
        with connection.cursor() as c: c.execute("analyze")
    for apart in ("never","gap"):
        Project.objects.update(apart=apart)
        for who in (w, make_worker(account=batch.account)):
            t=time.time(); n=len(list(items_for(batch=batch,worker_id=who.pk)[:10])); print("narrow",apart,n,round(time.time()-t,3))
