package gofuncs
import ("testing";"context";"time";"fmt";"os";"sort";"strings")
func TestTry(t *testing.T){
 r,err:=FindRoot(context.Background()); if err!=nil{t.Fatal(err)}
 t0:=time.Now()
 fs,err:=Read(context.Background(),r.Dir,Options{}); if err!=nil{t.Fatal(err)}
 fmt.Println(r,len(fs),time.Since(t0)); t0=time.Now()
 nt:=0; for _,f:=range fs{nt+=len(f.Terms)}
 v:=Vectors(fs,Dim,0); fmt.Println("vec",time.Since(t0), nt/len(fs))
 q:=strings.Fields(os.Getenv("Q"))
 for _,name:=range q{
  for i:=range fs{ if fs[i].ID!=name{continue}
   type c struct{j int;d float32}; cs:=make([]c,0,len(fs))
   a:=v[i*Dim:(i+1)*Dim]
   for j:=range fs{ if j==i{continue}; var s float32; for x,y:=range v[j*Dim:(j+1)*Dim]{s+=a[x]*y}; cs=append(cs,c{j,1-s})}
   sort.Slice(cs,func(a,b int)bool{return cs[a].d<cs[b].d})
   fmt.Println("==",name)
   for _,x:=range cs[:10]{fmt.Printf("   %.3f %s\n",x.d,fs[x.j].ID)}
  }
 }
}
